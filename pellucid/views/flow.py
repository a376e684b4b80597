"""The flow block: tokens joined to tokens by what each takes from the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.views.matrix import Axis, frozen


@dataclass(frozen=True, eq=False)
class Flow:
    """Weights `[target, source]`: how much each target takes from each source.

    Where a weight is 0 nothing flows and no line is drawn. `name` is the tensor that the weights
    belong to. Raises ValueError when weights and labels disagree.
    """

    title: str
    weights: NDArray[Any]
    targets: Axis
    sources: Axis
    name: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        weights = frozen(self.weights)
        if weights.ndim != 2:
            raise ValueError(f"a flow has 2 dims, these weights have {weights.ndim}")
        for axis, size in zip((self.targets, self.sources), weights.shape, strict=True):
            if axis.labels is not None and len(axis.labels) != size:
                raise ValueError(f"{len(axis.labels)} labels for {size} indices of {axis.dim}")
        object.__setattr__(self, "weights", weights)

    @property
    def lost(self) -> str:
        """Words about weights that are NaN or infinite, and so have no width; "" where none is."""
        count = int(self.weights.size - np.isfinite(self.weights).sum())
        if not count:
            return ""
        return f"Not drawn: {count:,} of {self.weights.size:,} weights, not finite."

    @property
    def limit(self) -> float:
        """The weight of the widest line: 1, or the largest magnitude where that is more."""
        finite = self.weights[np.isfinite(self.weights)]
        return max(1.0, float(np.abs(finite).max(initial=0.0)))

    def shortened(self, most: int) -> Flow:
        """The last `most` on either side; what they take from all sources before is one line.

        The note says so. A flow that is no longer than that is returned as it is.
        """
        n_targets, n_sources = self.weights.shape
        if n_targets <= most and n_sources <= most:
            return self
        weights, targets, sources = self.weights[-most:], self.targets, self.sources
        words = []
        if n_targets > most:
            targets = replace(targets, labels=labels_of(targets, n_targets)[-most:])
            words.append(f"Drawn: the last {most} of {n_targets:,} tokens.")
        if n_sources > most:
            early = n_sources - most + 1
            first = f"{early:,} before"
            labels = (first, *labels_of(sources, n_sources)[early:])
            sources = replace(sources, labels=labels)
            sums = weights[:, :early].sum(axis=1, keepdims=True)
            weights = np.concatenate([sums, weights[:, early:]], axis=1)
            words.append(f"“{first}” stands for the first {early:,} tokens together.")
        note = " ".join([*words, *([self.note] if self.note else [])])
        return replace(self, weights=weights, targets=targets, sources=sources, note=note)


def labels_of(axis: Axis, size: int) -> tuple[str, ...]:
    """The labels of an axis; its indices where it has none."""
    return axis.labels if axis.labels is not None else tuple(map(str, range(size)))
