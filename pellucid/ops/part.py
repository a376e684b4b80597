"""A part of a step, where an edit has come between its intermediates: one of them, or the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from pellucid.ops.cells import OF_QUERIES
from pellucid.ops.evidence import Evidence, Seen, as_name
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes
from pellucid.ops.term import Derivation, Index, Operands, Place, Slope, reach


@dataclass(frozen=True, slots=True)
class Part(Operation):
    """What an operation makes of one extra, or of its output, out of the extras before it.

    Its inputs are what `Operation.inside` names, in that order.
    """

    kind: ClassVar[str] = "part"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs", "output"})

    of: Operation
    makes: str
    """The extra, or "" for the output."""
    of_inputs: tuple[Dims, ...]
    """The dims of what the whole operation reads."""

    @property
    def reads(self) -> Dims:
        """What it is made of."""
        return self.of.inside[self.makes]

    @property
    def reads_numbers(self) -> bool:  # type: ignore[override]  # Known of each by itself.
        """Not where positions alone come in."""
        return self.of.kind != "rotate" or self.makes == ""

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.of.parameters if self.makes == "" else ()

    def parameter_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return self.of.parameter_dims(*self.of_inputs) if self.makes == "" else ()

    def dims(self, *inputs: Dims) -> Dims:
        if self.makes == "":
            return self.of.dims(*self.of_inputs)
        return self.of.extra_dims(*self.of_inputs)[self.of.extras.index(self.makes)]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"what {self.of.kind} makes of {', '.join(inputs)}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"\mathrm{{part}}({', '.join(inputs)})"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        return self.of.make(self.makes, inputs, parameters), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        assert output is not None
        return self.of.unmake(self.makes, grad, inputs, parameters, output)

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        return self.of.explain(whole(self, seen), cell, self.makes or None)

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        if operand.startswith("parameter"):
            return self.of.slope(whole(self, seen), operand, cell)
        number = int(operand.removeprefix("input "))
        source, out = seen.input(number), seen.output
        index, values = self.column(seen, number, cell)
        largest = max(reach(seen.input(i).values) for i in range(len(self.reads)))
        return Slope(
            index,
            Operands("local derivative", "", (), values),
            f"∂{out.short}/∂{source.short}",
            rf"\frac{{\partial {as_name(out.short)}}}{{\partial {as_name(source.short)}}}",
            sizes=np.abs(values) * (1 + largest),
        )

    def column(self, seen: Evidence, number: int, cell: Index) -> tuple[tuple[Place, ...], Array]:
        """The cells of the output that an input's cell has a part in, and how each moves with it.

        Found by `unmake`, as the input's gradient where the output's is 1 in one of these cells.
        """
        dims, out = self.dims_of(self.reads[number]), self.dims()
        at = {dim: place for dim, place in zip(dims, cell, strict=True) if dim in out}
        if self.of.kind == "rotate" and self.reads[number] == "input 0":
            # The one part in which the numbers of a row meet without being added up.
            del at[dims[-1]]
        sizes = [
            1 if dim in at else n for dim, n in zip(out, seen.output.values.shape, strict=True)
        ]
        cells = np.indices(sizes).reshape(len(out), prod(sizes))
        places = [c + at.get(dim, 0) for dim, c in zip(out, cells, strict=True)]
        row = {dim: place for dim, place in at.items() if dim in OF_QUERIES}
        inputs = [
            repeated(seen.input(i).values, self.dims_of(read), row, len(places[0]))
            for i, read in enumerate(self.reads)
        ]
        made = repeated(seen.output.values, out, row, len(places[0]))
        grad = np.zeros(made.shape)
        shown = [0 if dim in row else p for dim, p in zip(out, places, strict=True)]
        grad[np.arange(len(grad)), *shown] = 1
        parameters = [seen.parameter(i).values for i in range(len(self.parameters))]
        with np.errstate(all="ignore"):
            to_inputs, _ = self.of.unmake(self.makes, grad, inputs, parameters, made)
        moved = to_inputs[number]
        assert moved is not None
        own = tuple(0 if dim in row else place for dim, place in zip(dims, cell, strict=True))
        index = tuple(at.get(dim, p) for dim, p in zip(out, places, strict=True))
        values: Array = np.moveaxis(moved, 0, -1)[own]
        return index, values

    def dims_of(self, read: str) -> Dims:
        """The dims of an extra, or of an input."""
        if read.startswith("input "):
            return self.of_inputs[int(read.removeprefix("input "))]
        return self.of.extra_dims(*self.of_inputs)[self.of.extras.index(read)]

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        """Those of the whole step, counted for its output."""
        return self.of.flops(self.of_inputs, sizes) if self.makes == "" else 0


def repeated(values: Array, dims: Dims, row: Mapping[str, int], times: int) -> Array:
    """A tensor so many times, `[times, *dims]`; along the dims of `row` one place of it alone."""
    index = tuple(slice(row[dim], row[dim] + 1) if dim in row else slice(None) for dim in dims)
    part = values[index]
    wide = part.astype(np.float64) if part.dtype.kind == "f" else part
    return np.broadcast_to(wide, (times, *part.shape))


@dataclass(frozen=True, slots=True, eq=False)
class Whole(Evidence):
    """What the whole operation would have read and written, as far as a part knows of it."""

    part: Part
    own: Evidence

    def input(self, i: int) -> Seen:
        return self.own.input(self.part.reads.index(f"input {i}"))

    def extra(self, name: str) -> Seen:
        if name == self.part.makes:
            return self.own.output
        return self.own.input(self.part.reads.index(name))


def whole(part: Part, seen: Evidence) -> Whole:
    """The evidence of a part as that of its operation."""
    names = seen.output_name, seen.input_names, seen.parameter_names, seen.stem
    return Whole(seen.look, *names, part, seen)
