"""The linear map `x · w + b`: every projection of the decoder, and its output head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence, unchanged
from pellucid.ops.figures import sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.product import multiply
from pellucid.ops.rows import as_rows, column_sums
from pellucid.ops.term import Derivation, Index, Slope, Summand


@dataclass(frozen=True, slots=True)
class Linear(Operation):
    """`out[…, j] = Σᵢ x[…, i] · w[i, j] + b[j]`, for a weight `[in, out]`.

    `transposed` reads a weight `[out, in]` instead: a head tied to the token embedding.
    """

    kind: ClassVar[str] = "linear"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    weight: str
    bias: str | None
    to: str
    """The dim that the last dim of the input turns into."""
    transposed: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        return (self.weight,) if self.bias is None else (self.weight, self.bias)

    def parameter_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        weight = (inputs[0][-1], self.to)
        dims: tuple[Dims, ...] = (weight[::-1] if self.transposed else weight, (self.to,))
        return dims[: len(self.parameters)]

    def dims(self, *inputs: Dims) -> Dims:
        return (*inputs[0][:-1], self.to)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        weight = parameters[0] + ("ᵀ" if self.transposed else "")
        return " + ".join([f"{inputs[0]} · {weight}", *parameters[1:]])

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        weight = parameters[0] + (r"^{\top}" if self.transposed else "")
        return " + ".join([rf"{inputs[0]} \cdot {weight}", *parameters[1:]])

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        x, w = inputs[0], parameters[0]
        # One product of two matrices, whatever the batch: NumPy would loop over a stack of them.
        out = multiply(as_rows(x), w.T if self.transposed else w)
        if self.bias is not None:
            out += parameters[1]
        batch, position, _ = x.shape
        return out.reshape(batch, position, -1), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        x, w = inputs[0], parameters[0]
        rows, grad_rows = as_rows(x), as_rows(grad)
        grad_x = grad_rows.dot(w if self.transposed else w.T).reshape(x.shape)
        grad_w = grad_rows.T.dot(rows) if self.transposed else rows.T.dot(grad_rows)
        if self.bias is None:
            return (grad_x,), (grad_w,)
        return (grad_x,), (grad_w, column_sums(grad_rows))

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        row, column = cell
        x, w = seen.input(0), seen.parameter(0)
        places = (column, ALL) if self.transposed else (ALL, column)
        operands = [x.at("x", row, ALL), w.at("w", *places)]
        summands = [Summand((0, 1))]
        formula = f"{x.say(row, ALL)} · {w.say(*places)}"
        latex = rf"{x.tex(row, ALL)} \cdot {w.tex(*places)}"
        if self.bias is not None:
            b = seen.parameter(1)
            operands.append(b.at("b", column))
            summands.append(Summand((2,)))
            formula, latex = f"{formula} + {b.say(column)}", f"{latex} + {b.tex(column)}"
        return Derivation(
            operands=tuple(operands),
            formula=formula,
            latex=latex,
            substituted=sum_of_products(
                [operands[0].values, operands[1].values], [o.values[0] for o in operands[2:]]
            ),
            summands=tuple(summands),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        x, w = seen.input(0), seen.parameter(0)
        if operand == "input 0":
            row, i = cell
            places = (ALL, i) if self.transposed else (i, ALL)
            via = w.at("local derivative", *places)
            index = (row, np.arange(len(via)))
            return Slope(index, via, w.say(*places), w.tex(*places))
        every = np.arange(len(x.values))
        if operand == "parameter 0":
            column, i = cell if self.transposed else cell[::-1]
            via = x.at("local derivative", ALL, i)
            return Slope((every, column), via, x.say(ALL, i), x.tex(ALL, i))
        return unchanged(every, cell[0])

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        outputs = count(self.dims(*inputs), sizes)
        return 2 * sizes[inputs[0][-1]] * outputs + (outputs if self.bias is not None else 0)
