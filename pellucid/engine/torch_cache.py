"""The same cache of keys and values, in the memory of a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from pellucid.decoder.graph import Graph
from pellucid.engine.cache import KeyValueCache
from pellucid.engine.torch_tensors import as_tensor
from pellucid.ops.operation import Array


class TorchCache(KeyValueCache):
    """Its `store` holds tensors; what has been read and where stays in arrays."""

    def __init__(self, graph: Graph, *, batch: int, dtype: Any, device: torch.device) -> None:
        self.device = device
        super().__init__(graph, batch=batch, dtype=dtype)

    def room(self, shape: tuple[int, ...]) -> Tensor:
        """Memory for keys or values."""
        return torch.zeros(shape, dtype=self.dtype, device=self.device)

    def extend(self, name: str, new: Tensor, positions: Array) -> Tensor:
        """Write what a run made of new positions; returns that of every position so far."""
        store = self.store[name]
        texts = as_tensor(np.arange(len(store))[:, None]).to(self.device)
        store[texts, :, as_tensor(positions).to(self.device)] = new.transpose(1, 2)
        return store[:, :, : int(positions.max()) + 1]
