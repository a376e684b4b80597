"""How surprised the model was: cross-entropy, in nats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pellucid.ops.evidence import ALL, Evidence, Seen, constants, worked_out
from pellucid.ops.figures import and_more, bracketed, figure, largest_of, sum_of_products
from pellucid.ops.operation import Array, Backward, Dims, Forward, Operation, Sizes, count
from pellucid.ops.rows import as_rows, row_maxima, row_sums, starts
from pellucid.ops.term import Derivation, Index, Slope, Summand, reach

NO_TARGET = -1


@dataclass(frozen=True, slots=True)
class CrossEntropy(Operation):
    """`loss[t] = log Σᵥ exp(logits[t, v]) - logits[t, target[t]]`, in nats; 0 where target is −1.

    The first term is kept as `log_sum`. It is −log of the target's probability, without ever
    computing a probability that could round to 0.
    """

    kind: ClassVar[str] = "cross_entropy"
    extras: ClassVar[Dims] = ("log_sum",)
    saves: ClassVar[frozenset[str]] = frozenset({"inputs", "log_sum"})
    inside: ClassVar[Mapping[str, Dims]] = {
        "log_sum": ("input 0",),
        "": ("input 0", "input 1", "log_sum"),
    }

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0][:-1]

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        return (inputs[0][:-1],)

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"log Σ exp({inputs[0]}) - {inputs[0]}[{inputs[1]}]"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"\log \sum \exp({inputs[0]}) - {inputs[0]}[{inputs[1]}]"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        log_sum = self.make("log_sum", inputs[:1], ())
        return self.make("", (*inputs, log_sum), ()), (log_sum,)

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        logits, targets = inputs
        rows = as_rows(logits)
        weight = grad.ravel() * (targets.ravel() != NO_TARGET)
        # In C order, whatever the logits' is: below, ravel must be the same memory and no copy.
        grad_rows = np.subtract(rows, extras[0].reshape(-1, 1), order="C")
        np.exp(grad_rows, grad_rows)
        grad_rows *= weight[:, None]
        grad_rows.ravel()[target_cells(rows, targets)] -= weight
        return (grad_rows.reshape(logits.shape), None), ()

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        rows = as_rows(given[0])
        if part == "log_sum":
            largest = row_maxima(rows)
            log_sum = np.log(row_sums(np.exp(rows - largest)))
            log_sum += largest
            return log_sum.reshape(given[0].shape[:-1])
        _, targets, log_sum = given
        loss = log_sum.ravel() - rows.take(target_cells(rows, targets))
        loss *= targets.ravel() != NO_TARGET
        return loss.reshape(targets.shape)

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        if part == "log_sum":
            return (grad[..., None] * np.exp(given[0] - made[..., None]),), ()
        logits, targets, _ = given
        weight = grad * (targets != NO_TARGET)
        to_logits = np.zeros(logits.shape, dtype=logits.dtype)
        to_logits.ravel()[target_cells(as_rows(logits), targets)] = -weight.ravel()
        return (to_logits, None, weight), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        (place,) = cell
        logits = seen.input(0)
        if extra == "log_sum":
            return explain_log_sum(logits, place)
        targets = seen.input(1)
        target = int(targets.values[place])
        if target == NO_TARGET:
            return Derivation(
                operands=(targets.at("target", place),),
                formula=f"0: {targets.say(place)} is no target",
                latex="0",
                substituted="0",
                rule=lambda target: 0.0,
                rounding=0.0,
            )
        log_sum = seen.extra("log_sum")
        operands = log_sum.at("log_sum", place), logits.at("logit", place, target)
        whole, logit = (float(operand.values[0]) for operand in operands)
        return Derivation(
            operands=(*operands, targets.at("target", place)),
            formula=f"{log_sum.say(place)} − {logits.say(place, target)}",
            latex=f"{log_sum.tex(place)} - {logits.tex(place, target)}",
            substituted=f"{figure(whole)} − {bracketed(logit)}",
            summands=(Summand((0,)), Summand((1,), -1.0)),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        place, token = cell
        target = int(seen.input(1).values[place])
        if target == NO_TARGET:
            return Slope((place,), constants(0.0), "0: no target here", "0")
        logits, log_sum, here = seen.input(0), seen.extra("log_sum"), float(token == target)
        sources = logits.at("logit", *cell), log_sum.at("log_sum", place)
        at, whole = (source.values.astype(np.float64) for source in sources)
        return Slope(
            (place,),
            worked_out(sources, lambda x, s: np.exp(x - s) - here),
            f"exp({logits.say(*cell)} − {log_sum.say(place)}) − {figure(here)}",
            rf"\exp({logits.tex(*cell)} - {log_sum.tex(place)}) - {figure(here)}",
            sizes=np.exp(at - whole) * (1 + np.abs(at)) + here,
        )

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 4 * count(inputs[0], sizes)


@dataclass(frozen=True, slots=True)
class MeanLoss(Operation):
    """The mean over all positions of the batch that have a target: sum / number, in nats."""

    kind: ClassVar[str] = "mean_loss"
    saves: ClassVar[frozenset[str]] = frozenset({"inputs"})

    def dims(self, *inputs: Dims) -> Dims:
        return ()

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"mean of {inputs[0]} over the positions with a target"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"\text{{mean of }}{inputs[0]}\text{{ over the positions with a target}}"

    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        loss, targets = inputs
        marks = target_marks(targets, loss.dtype)
        mean: Array = np.dot(loss.ravel(), marks) / np.dot(marks, marks)
        return mean.reshape(1), ()

    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        loss, targets = inputs
        marks = target_marks(targets, loss.dtype)
        share = grad / np.dot(marks, marks)
        return ((marks * share).reshape(targets.shape), None), ()

    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        loss, targets = seen.input(0), seen.input(1)
        places = np.flatnonzero(targets.values != NO_TARGET)
        pieces = loss.at("loss", places)
        return Derivation(
            operands=(pieces,),
            formula=f"Σ {loss.say(ALL)} / {len(places)}",
            latex=rf"\frac{{1}}{{{len(places)}}} \sum {loss.tex(ALL)}",
            substituted=f"({sum_of_products([pieces.values])}) / {len(places)}",
            summands=(Summand((0,), 1 / len(places)),),
        )

    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        has_target = seen.input(1).values != NO_TARGET
        number = int(np.count_nonzero(has_target))
        if not has_target[cell]:
            return Slope((), constants(0.0), "0: no target here", "0")
        return Slope((), constants(1 / number), f"1 / {number}", rf"\frac{{1}}{{{number}}}")

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return count(inputs[0], sizes)


def target_marks(targets: Array, dtype: np.dtype) -> Array:
    """1 where there is a target and 0 where there is none, `[row]`."""
    marks: Array = (targets != NO_TARGET).astype(dtype)
    return marks.ravel()


def target_cells(rows: Array, targets: Array) -> Array:
    """Where each target's logit stands when `rows` is read as one run of numbers, `[row]`.

    A position without a target points at id 0.
    """
    cells = np.maximum(targets.ravel(), 0)
    cells += starts(*rows.shape)
    return cells


def explain_log_sum(logits: Seen, place: int) -> Derivation:
    """log of the sum of exp over the vocabulary; a share says how much of the sum a logit is."""
    row = logits.at("logit", place, ALL)
    shown = [f"exp({number})" for number in largest_of(row.values)]
    return Derivation(
        operands=(row,),
        formula=f"log Σ exp({logits.say(place, ALL)})",
        latex=rf"\log \sum \exp({logits.tex(place, ALL)})",
        substituted=f"log({' + '.join(and_more(shown, len(row)))})",
        rule=lambda x: x.max() + np.log(np.exp(x - x.max()).sum()),
        weights=lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
        rounding=1 + reach(row.values),
    )
