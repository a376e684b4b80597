"""What a comparison comes to, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite, log10

from pellucid.ops.figures import figure
from pellucid.trace.audit import Departure
from pellucid.trace.comparison import Comparison, TensorDifference
from pellucid.trace.judge import RULE_OF_THUMB

LISTED = 6
"""How many names are written out before the rest are counted."""


def reason(found: Comparison) -> str:
    """The verdict and what it rests on, then what else the two differ in."""
    sentences = [VERDICTS[found.verdict](found)]
    if found.configs:
        changed = [f"{name} is {a} in a and {b} in b" for name, (a, b) in found.configs.items()]
        sentences.append(f"The configs differ: {listed(changed)}.")
    wrong = [each for each in found.parameters if each.kind == "fault"]
    if wrong:
        sentences.append(f"The weights differ: {listed([each.name for each in wrong])}.")
    with_nans = [each for each in found.tensors if each.nans]
    if with_nans:
        sentences.append(f"Both have NaN in the same places, first in {with_nans[0].name}.")
    if found.unrecognised:
        sentences.append(f"No tensor of ours has these names: {listed(found.unrecognised)}.")
    return " ".join(sentences)


def why_equal(found: Comparison) -> str:
    """Nothing differs."""
    return f"Equal: the {counted(len(found.tensors))} the same, bit for bit."


def why_noise(found: Comparison) -> str:
    """What explains every difference."""
    if not found.rerun:
        return (
            f"Noise: every difference is within {RULE_OF_THUMB} {found.precision} roundings of a "
            f"tensor's largest number for each step up to it, a rule of thumb. There were no "
            f"weights at hand to run the steps again in float64."
        )
    nearest = max(found.tensors, key=lambda each: each.share or 0)
    return (
        f"Noise: {found.precision} rounding explains every difference. Each step was run again in "
        f"float64 from what either side had before it; the nearest to the limit is {nearest.name}, "
        f"at {nearest.share or 0:.0%} of what rounding may do."
    )


def why_fault(found: Comparison) -> str:
    """Where it goes wrong first, by how much, and what else does."""
    first, faults = found.faults[0], found.faults[1:]
    sentences = [how_it_differs(first, found.precision)]
    before = found.tensors.index(first)
    if before:
        sentences.append(f"The {counted(before, 'before it')} within rounding.")
    if faults:
        names = listed([each.name for each in faults])
        sentences.append(f"Also wrong, whatever they were computed from: {names}.")
    if found.rerun and any(each.kind == "differs" for each in found.tensors):
        sentences.append("All else differs only because of what it was computed from.")
    if not found.rerun:
        sentences.append(
            "There were no weights at hand to run the steps again in float64, so this goes by a "
            "rule of thumb and does not say which side is wrong."
        )
    return " ".join(sentences)


VERDICTS = {"equal": why_equal, "noise": why_noise, "fault": why_fault}


def how_it_differs(first: TensorDifference, precision: str) -> str:
    """The first fault: which side it is on, and what that side has instead of what."""
    if first.shape != first.shape_in_b:
        dims = " ".join(first.dims)
        return (
            f"Fault: {first.name} is {list(first.shape)} in a ({dims}) and "
            f"{list(first.shape_in_b)} in b."
        )
    steps = {"a": first.a_step, "b": first.b_step}
    wrong = {side: step for side, step in steps.items() if step is not None and step.share > 1}
    if not wrong:
        ours, theirs = told_apart(first.a, first.b)
        return (
            f"Fault: {first.name} is the first tensor that differs by more than rounding. "
            f"{f'At [{first.where}] it' if first.where else 'It'} is {ours} in a and {theirs} in b."
        )
    who = "a and b both go" if len(wrong) == 2 else f"{next(iter(wrong))} goes"
    told = [what_it_has(side, step, precision) for side, step in wrong.items()]
    return f"Fault: {who} wrong at {first.name}. {' '.join(told)}"


def what_it_has(side: str, step: Departure, precision: str) -> str:
    """What one side has where it is furthest from what the step gives."""
    expected, given = told_apart(step.expected, step.given)
    at = f" at [{step.where}]" if step.where else ""
    said = f"From what {side} had before it, float64 gives {expected}{at}, and {side} has {given}"
    if abs(step.given - step.expected) > step.allowed:
        return f"{said}; {precision} rounding explains no more than {with_digits(step.allowed, 1)}."
    return (
        f"{said}; over all cells together that is {step.share:.3g} times what {precision} "
        f"rounding explains."
    )


def told_apart(a: float, b: float) -> tuple[str, str]:
    """Two numbers, with as many digits as it takes to see how they differ."""
    apart = abs(a - b)
    if not isfinite(apart) or apart == 0:
        return figure(a), figure(b)
    digits = max(4, ceil(log10(max(abs(a), abs(b)) / apart)) + 2)
    return with_digits(a, digits), with_digits(b, digits)


def with_digits(number: float, digits: int) -> str:
    """A number with so many significant digits."""
    return f"{number:.{digits}g}".replace("-", "−")


def counted(n: int, which: str = "") -> str:
    """So many tensors, and the verb that goes with them."""
    many = f"{n:,} tensors" if n > 1 else "tensor"
    return " ".join(filter(None, [many, which, "are" if n > 1 else "is"]))


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:LISTED])
    return shown + (f" and {len(names) - LISTED:,} more" if len(names) > LISTED else "")
