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

    def positions(self, count: int) -> Array:
        """Where the next `count` tokens of each text stand, `[batch, position]`."""
        places = super().positions(count)
        # Every step of the run writes there: the device is told once.
        texts = np.arange(len(places))[:, None]
        self.texts, self.places = (as_tensor(x).to(self.device) for x in (texts, places))
        return places

    def extend(self, name: str, new: Tensor, positions: Array) -> Tensor:
        """Write what a run made of new positions; returns that of every position so far."""
        store = self.store[name]
        store[self.texts, :, self.places] = new.transpose(1, 2)
        return store[:, :, : int(positions.max()) + 1]
