"""What a run left behind, and its gradients: arrays by name, `[batch, *dims]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.ops.operation import Array


@dataclass(frozen=True, slots=True)
class Run:
    """The values that were kept, the run's inputs among them.

    `way_back` is what the engine that made it needs to carry gradients back.
    """

    way_back: Any
    values: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.values[name]


@dataclass(frozen=True, slots=True)
class Gradients:
    """Derivatives of the loss with respect to outputs of steps and to parameters."""

    nodes: Mapping[str, Array]
    parameters: Mapping[str, Array]
