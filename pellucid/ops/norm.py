"""Normalisation: what layer norm and RMS norm have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.ops.evidence import ALL, Evidence, as_text, unchanged, worked_out
from pellucid.ops.figures import sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Operation, Sizes, count
from pellucid.ops.rows import as_rows, column_sums
from pellucid.ops.term import Derivation, Index, Operands, Place, Slope, Summand


@dataclass(frozen=True, slots=True)
class Norm(Operation):
    """`out = normalized · gain + beta`, where `normalized` is the last dim brought to one scale.

    The gain is `gamma`, or `1 + gamma` with `unit_offset`. With `by_head` each head, which is the
    first dim, has a gain and a shift of its own.
    """

    gamma: str
    beta: str | None
    epsilon: float
    by_head: bool = False
    unit_offset: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        return (self.gamma,) if self.beta is None else (self.gamma, self.beta)

    def parameter_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        width = inputs[0][-1:]
        return ((*inputs[0][:1], *width) if self.by_head else width,) * len(self.parameters)

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def gain_in_words(self, gamma: str) -> str:
        """The gain as a factor of a formula."""
        return f"(1 + {gamma})" if self.unit_offset else gamma

    def along(self, parameter: Array) -> Array:
        """A gain or shift in a shape that spreads over the positions."""
        return parameter[:, None] if self.by_head else parameter

    def gain(self, parameters: Sequence[Array]) -> Array:
        """What normalised vectors are multiplied by."""
        gamma = self.along(parameters[0])
        return gamma + 1 if self.unit_offset else gamma

    def gradients(self, grad: Array, normalized: Array) -> tuple[Array, ...]:
        """Of gain and shift."""
        sums = heads_summed if self.by_head else rows_summed
        to_gamma = (sums(grad * normalized),)
        return to_gamma if self.beta is None else (*to_gamma, sums(grad))

    def gained(self, normalized: Array, parameters: Sequence[Array]) -> Array:
        """Normalised vectors with gain and shift."""
        out = normalized * self.gain(parameters)
        if self.beta is not None:
            out += self.along(parameters[1])
        return out

    def ungained(self, grad: Array, normalized: Array, parameters: Sequence[Array]) -> Backward:
        """The gradients of normalised vectors, of gain and of shift."""
        return (grad * self.gain(parameters),), self.gradients(grad, normalized)

    def explain_output(self, seen: Evidence, cell: Index) -> Derivation:
        """The normalised number times its gain, and its shift."""
        place = self.place(cell)
        normalized, gamma = seen.extra("normalized"), seen.parameter(0)
        operands = [normalized.at("normalized", *cell), gamma.at("gamma", *place)]
        factors = [operand.values for operand in operands]
        if self.unit_offset:
            factors[1] = factors[1] + 1
        summands = [Summand((0, 1)), *([Summand((0,))] if self.unit_offset else [])]
        formula = f"{normalized.say(*cell)} · {self.gain_in_words(gamma.say(*place))}"
        latex = rf"{normalized.tex(*cell)} \cdot {self.gain_in_words(gamma.tex(*place))}"
        if self.beta is not None:
            beta = seen.parameter(1)
            operands.append(beta.at("beta", *place))
            summands.append(Summand((2,)))
            formula = f"{formula} + {beta.say(*place)}"
            latex = f"{latex} + {beta.tex(*place)}"
        return Derivation(
            operands=tuple(operands),
            formula=formula,
            latex=latex,
            substituted=sum_of_products(factors, [o.values[0] for o in operands[2:]]),
            summands=tuple(summands),
        )

    def place(self, cell: Index) -> Index:
        """Where the gain and the shift of a cell stand."""
        return (cell[0], cell[-1]) if self.by_head else cell[-1:]

    def parameter_slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        """How the outputs of every position move with one gain or shift."""
        normalized = seen.extra("normalized")
        if len(normalized.dims) == 2:
            at: tuple[Place | slice, ...] = (ALL, cell[-1])
            places: tuple[Place, ...] = (np.arange(len(normalized.values)), cell[-1])
        else:
            heads, positions = normalized.values.shape[:2]
            which = np.array(cell[:1]) if self.by_head else np.arange(heads)
            each, every = np.repeat(which, positions), np.tile(np.arange(positions), len(which))
            places = at = (each, every, cell[-1])
        if operand == "parameter 1":
            return unchanged(*places)
        said = (cell[0] if self.by_head else ALL, ALL, cell[-1])[-len(normalized.dims) :]
        via = normalized.at("local derivative", *at)
        return Slope(places, via, normalized.say(*said), normalized.tex(*said))

    def vector_slope(self, seen: Evidence, cell: Index, *, scale: str, centred: bool) -> Slope:
        """How the outputs of one position move with one number of its vector.

        Args:
            seen: what the step read and wrote.
            cell: of the input.
            scale: the extra that vectors are multiplied by.
            centred: whether the mean is taken away first, so that what moves it adds nothing.
        """
        normalized, factor = seen.extra("normalized"), seen.extra(scale)
        *row, i = cell
        gains, gain, gain_tex = self.gains(seen, cell)
        sources = normalized.at("normalized", *row, ALL), factor.at(scale, *row), gains
        n, r, gamma = (source.values.astype(np.float64) for source in sources)
        width, offset, mean = len(n), float(self.unit_offset), float(centred)
        same = np.arange(width) == i
        here, n_i = normalized.one_at(i), (*row, i)
        n_all: tuple[Place | slice, ...] = (*row, ALL)
        said = f"{normalized.say(*n_i)} · {normalized.say(*n_all)}"
        tex = rf"{normalized.tex(*n_i)} \cdot {normalized.tex(*n_all)}"
        if centred:
            said, tex = f"(1 + {said})", f"1 + {tex}"
        return Slope(
            (*row, np.arange(width)),
            worked_out(
                sources, lambda n, r, g: r * (g + offset) * (same - (mean + n[i] * n) / width)
            ),
            f"{factor.say(*row)} · {gain} · ({here} − {said} / {width})",
            rf"{factor.tex(*row)} \cdot {gain_tex} \left({as_text(here)} - "
            rf"\frac{{{tex}}}{{{width}}}\right)",
            sizes=np.abs(r * (gamma + offset)) * (same + (mean + np.abs(n[i] * n)) / width),
        )

    def gains(self, seen: Evidence, cell: Index) -> tuple[Operands, str, str]:
        """The gains of a cell's whole vector, and how they read in formula and LaTeX."""
        gamma = seen.parameter(0)
        row: tuple[Place | slice, ...] = (cell[0], ALL) if self.by_head else (ALL,)
        words = self.gain_in_words(gamma.say(*row)), self.gain_in_words(gamma.tex(*row))
        return gamma.at("gamma", *row), *words

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 8 * count(inputs[0], sizes)


def rows_summed(x: Array) -> Array:
    """`[…, width]` added up to `[width]`."""
    return column_sums(as_rows(x))


def heads_summed(x: Array) -> Array:
    """`[batch, head, position, width]` added up to `[head, width]`."""
    sums: Array = x.sum(axis=(0, 2))
    return sums
