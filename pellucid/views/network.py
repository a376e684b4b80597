"""The network block: layers of units with their numbers, joined by weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.views.matrix import Axis, frozen


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of units, `values [unit]` being their numbers.

    `axis` names the dim and each unit; `name` is the tensor that the numbers belong to.
    Raises ValueError when values and labels disagree.
    """

    title: str
    values: NDArray[Any]
    axis: Axis
    name: str | None = None

    def __post_init__(self) -> None:
        values = frozen(self.values)
        if values.ndim != 1:
            raise ValueError(f"a layer has 1 dim, these values have {values.ndim}")
        if self.axis.labels is not None and len(self.axis.labels) != len(values):
            raise ValueError(
                f"{len(self.axis.labels)} labels for {len(values)} indices of {self.axis.dim}"
            )
        object.__setattr__(self, "values", values)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each unit is called: its label, or its index."""
        if self.axis.labels is not None:
            return self.axis.labels
        return tuple(map(str, range(len(self.values))))

    @property
    def off(self) -> NDArray[np.bool_]:
        """Which units are exactly 0 and so hand nothing on, `[unit]`."""
        return np.asarray(self.values == 0)

    def strongest(self, most: int) -> Layer:
        """The `most` units that are farthest from 0, in their own order; NaN counts as far."""
        if len(self.values) <= most:
            return self
        chosen = self.indices(most)
        labels = tuple(self.labels[index] for index in chosen)
        return replace(self, values=self.values[chosen], axis=replace(self.axis, labels=labels))

    def indices(self, most: int) -> NDArray[np.intp]:
        """The places of those units."""
        sizes = np.nan_to_num(np.abs(self.values), nan=np.inf)
        return np.sort(np.argsort(-sizes, kind="stable")[:most])


@dataclass(frozen=True, eq=False)
class Network:
    """Layers from the input to the output, with the weights `[unit, unit]` between neighbours.

    Raises ValueError when the weights do not fit the layers.
    """

    title: str
    layers: tuple[Layer, ...]
    weights: tuple[NDArray[Any], ...]
    note: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        object.__setattr__(self, "weights", tuple(map(frozen, self.weights)))
        sizes = [len(layer.values) for layer in self.layers]
        shapes = [weights.shape for weights in self.weights]
        if shapes != list(pairwise(sizes)):
            raise ValueError(f"weights of shapes {shapes} do not join layers of {sizes} units")

    @property
    def shared(self) -> str:
        """The parts of their names that all layers begin with: "blocks.0"."""
        parts = zip(*(_name(layer).split(".")[:-1] for layer in self.layers), strict=False)
        return ".".join(same[0] for same in takewhile(lambda each: len(set(each)) == 1, parts))

    @property
    def names(self) -> tuple[str, ...]:
        """What each layer is called beyond that: "mlp.post"; by its title if it has no name."""
        return tuple(_name(layer).removeprefix(f"{self.shared}.") for layer in self.layers)

    def strongest(self, most: int) -> Network:
        """The units that are farthest from 0, at most so many a layer; the note says so."""
        words = [
            f"{most} of {len(layer.values):,} units of {_name(layer)}"
            + (f" ({count:,} are 0)" if (count := int(layer.off.sum())) else "")
            for layer in self.layers
            if len(layer.values) > most
        ]
        if not words:
            return self
        kept = [layer.indices(most) for layer in self.layers]
        note = f"Drawn, those farthest from 0: {', '.join(words)}."
        return Network(
            self.title,
            tuple(layer.strongest(most) for layer in self.layers),
            tuple(
                weights[np.ix_(*ends)]
                for weights, ends in zip(self.weights, pairwise(kept), strict=True)
            ),
            " ".join([note, *([self.note] if self.note else [])]),
        )


def _name(layer: Layer) -> str:
    return layer.name or layer.title
