"""Two prompts read by one model, side by side: tensors aligned by token, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.analysis.alignment import Slot
from pellucid.analysis.found import Found
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.showing import to_figure, to_html, to_text
from pellucid.trace.comparison import TensorDifference
from pellucid.trace.measure import measure
from pellucid.trace.prediction_shift import PredictionShift, divergences, prediction_shift
from pellucid.trace.stream_change import StreamChange, stream_change
from pellucid.trace.tensor import TracedTensor, lock
from pellucid.trace.trace import TOKEN_DIMS, Trace
from pellucid.trace.ulp import coarsest

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedTensor(Found):
    """One tensor of both texts.

    Attributes:
        a, b: the tensor as either run left it, along its own tokens.
        difference: b − a where both have a token; labelled with it, or with both, `fir → elm`.
    """

    a: TracedTensor
    b: TracedTensor
    difference: TracedTensor

    @property
    def name(self) -> str:
        return self.a.name

    def figure(self, *, theme: str = "light", size: str = "page") -> Figure:
        """Draw both and the difference.

        Args:
            theme: "light" or "dark".
            size: "page", "slide" or "paper".
        """
        return to_figure(self, theme=theme, size=size)


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Mapping[str, PairedTensor]):
    """Two traces of one model, and how their tokens stand beside each other.

    `pair["blocks.0.attn.pattern"]` has a tensor of both and its difference.
    """

    a: Trace
    b: Trace
    slots: tuple[Slot, ...]

    @cached_property
    def shared(self) -> tuple[tuple[int, int], ...]:
        """The positions in `a` and in `b` of the places where both have a token."""
        return tuple(
            (slot.a, slot.b) for slot in self.slots if slot.a is not None and slot.b is not None
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """How each of these places reads: the token of both, or that of either."""
        tokens = ((self.a.tokens[a], self.b.tokens[b]) for a, b in self.shared)
        return tuple(ours if ours == theirs else f"{ours} → {theirs}" for ours, theirs in tokens)

    @cached_property
    def tensors(self) -> tuple[TensorDifference, ...]:
        """How far apart each tensor is where both have a token, in the order of the graph."""
        return tuple(self.measured(name) for name in self)

    @cached_property
    def shift(self) -> PredictionShift | None:
        """What comes next after the last token of either; None where that was not kept."""
        return prediction_shift(self.a, self.b)

    @cached_property
    def divergences(self) -> tuple[float, ...]:
        """KL(a ‖ b) of what comes next, in nats, at each of `shared`; empty where not kept."""
        ours, theirs = zip(*self.shared, strict=True) if self.shared else ((), ())
        return divergences(self.a, self.b, ours, theirs) or ()

    @cached_property
    def stream(self) -> StreamChange:
        """How far apart the residual stream is at each of `shared`."""
        return stream_change(self.a, self.b, self.shared, self.labels)

    def __getitem__(self, name: str) -> PairedTensor:
        """A tensor of both texts.

        Raises:
            PellucidError: there is none of that name, it was not kept, or it is a parameter, which
                both runs share.
        """
        a, b = self.a[name], self.b[name]
        if a.name in self.a.parameters:
            raise PellucidError(f"{a.name} is a parameter: both prompts were read with the same.")
        ours, theirs = self.aligned(a, side=0), self.aligned(b, side=1)
        difference = replace(
            ours,
            values=lock(signed_difference(ours.values, theirs.values)),
            title=f"{a.title}: b − a",
            equation="",
            latex="",
        )
        return PairedTensor(a, b, difference)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.a if name in self.b and not name.startswith("loss"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        shared = name in self.a and name in self.b
        return shared and self.a.resolve(str(name)) in tuple(self)

    def aligned(self, tensor: TracedTensor, *, side: int) -> TracedTensor:
        """What a tensor of `a` (side 0) or of `b` (side 1) holds where both texts have a token."""
        places = [positions[side] for positions in self.shared]
        values = tensor.values
        for axis, dim in enumerate(tensor.dims):
            if dim in TOKEN_DIMS:
                values = values.take(places, axis=axis)
        labels = {
            dim: self.labels if dim in TOKEN_DIMS else tensor.labels[dim] for dim in tensor.labels
        }
        return replace(tensor, values=lock(values), labels=labels, written=None)

    def measured(self, name: str) -> TensorDifference:
        """How far one tensor of `b` is from that of `a`, where both texts have a token."""
        a, b = self.aligned(self.a[name], side=0), self.aligned(self.b[name], side=1)
        found = measure(a, b.values, coarsest([a.values, b.values]))
        return found if found.equal else replace(found, kind="differs")

    def to_dict(self) -> dict[str, Any]:
        """Everything but the traces as plain data: dictionaries, tuples, words and numbers."""
        return {
            "a": {"ids": self.a.ids, "tokens": self.a.tokens},
            "b": {"ids": self.b.ids, "tokens": self.b.tokens},
            "slots": [asdict(slot) for slot in self.slots],
            "shift": None if self.shift is None else asdict(self.shift),
            "divergences": self.divergences,
            "stream": asdict(self.stream),
            "tensors": [
                {
                    "name": each.name,
                    "relative": each.relative,
                    "largest": each.largest,
                    "cell": each.cell,
                    "where": each.where,
                    "a": each.a,
                    "b": each.b,
                }
                for each in self.tensors
            ],
        }

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def signed_difference(a: Array, b: Array) -> Array:
    """b − a in float64; 0 where both are the same infinity or both are NaN."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, b - a)
