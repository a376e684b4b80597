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
NOT_RUN_AGAIN = "There were no weights at hand to run the steps again in float64."
BY_THE_GRAPH = "So says the graph; the steps were not run again in float64, as rerun=True does."
NOTHING_ELSE = "No step is wrong by itself: each was run again in float64, edits and all."


def reason(found: Comparison) -> str:
    """The verdict and what it rests on, then what else the two differ in."""
    sentences = [VERDICTS[found.verdict](found)]
    if found.different and found.verdict != "different":
        sentences.append(f"They are different models: {how_models_differ(found)}.")
    elif not found.different and (names := unedited_weights(found)):
        sentences.append(f"The weights differ: {listed(names)}.")
    if found.verdict != "edited" and (edits := in_words(found)):
        nothing = ", which changes nothing here" if found.verdict == "equal" else ""
        sentences.append(f"Edited: {edits}{nothing}.")
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


def why_edited(found: Comparison) -> str:
    """What was edited, what it changed first, how far that goes, and that nothing else is wrong."""
    sentences = [f"Edited: {in_words(found)}."]
    if found.first is not None:
        sentences.append(f"The first tensor to change: {two_numbers(found.first)}.")
    follow = sum(each.kind == "differs" for each in found.tensors)
    alike = [each for each in found.tensors if each.within_tolerance]
    if follow:
        verb = "follows" if follow == 1 else "follow"
        sentences.append(f"{follow:,} of {len(found.tensors):,} tensors {verb} from it.")
    if alike:
        verb = "is" if len(alike) == 1 else "are"
        same = "bit for bit" if all(each.equal for each in alike) else "but for rounding"
        sentences.append(f"{len(alike):,} {verb} the same, {same}.")
    sentences.append(NOTHING_ELSE if found.rerun else BY_THE_GRAPH)
    return " ".join(sentences)


def in_words(found: Comparison) -> str:
    """The edits of either side, each as it is written; "" where there are none."""
    sides = (("a", found.edits_in_a), ("b", found.edits_in_b))
    return "; ".join(f"in {side}, {listed(edits)}" for side, edits in sides if edits)


def unedited_weights(found: Comparison) -> list[str]:
    """The weights that differ, and not by an edit."""
    return [each.name for each in found.weights_apart if each.kind != "edited"]


def why_different(found: Comparison) -> str:
    """In what the models differ, where it shows first, and that neither is wrong by itself."""
    sentences = [f"Different models: {how_models_differ(found)}."]
    if found.weights_apart:
        sentences.append(f"The first weight: {two_numbers(found.weights_apart[0])}.")
    if all(each.equal for each in found.tensors):
        sentences.append(f"It does not show here: the {counted(len(found.tensors))} the same.")
        return " ".join(sentences)
    if found.first is None:
        sentences.append("No tensor differs by more than rounding may do.")
    else:
        sentences.append(f"The first tensor: {two_numbers(found.first)}.")
    return " ".join([*sentences, whose_steps_are_right(found)])


def how_models_differ(found: Comparison) -> str:
    """The fields of the configs, and how many of the weights."""
    fields = [f"{name} is {a} in a and {b} in b" for name, (a, b) in found.configs.items()]
    apart, n = len(unedited_weights(found)), found.n_weights
    if not n:
        weights = "" if fields else "the weights differ, as their digests say"
    elif apart:
        of_both = " that both have" if fields else ""
        verb = "differs" if apart == 1 else "differ"
        weights = f"{apart:,} of {n:,} weight tensors{of_both} {verb}"
    else:
        weights = f"the {n:,} weight tensors that both have are the same"
    if not fields:
        return f"{weights} (the config is the same)"
    return "; ".join(filter(None, [f"the configs differ ({listed(fields)})", weights]))


def two_numbers(each: TensorDifference) -> str:
    """What a tensor is on either side, where the two are furthest apart."""
    if each.shape != each.shape_in_b:
        dims = " ".join(each.dims)
        shapes = f"{list(each.shape)} in a ({dims}) and {list(each.shape_in_b)} in b"
        return f"{each.name} is {shapes}"
    at = f" at [{each.where}]" if each.where else ""
    ours, theirs = told_apart(each.a, each.b)
    return f"{each.name}{at} is {ours} in a and {theirs} in b"


def whose_steps_are_right(found: Comparison) -> str:
    """Of which sides it was found that nothing is wrong, if there were weights to find out with."""
    if not found.rerun:
        return NOT_RUN_AGAIN
    again = "run again in float64 with its own weights, each step of"
    alike = [each.name for each in found.tensors if (each.share or 0) > 1]
    if alike:
        return f"Edited on both sides alike: {listed(alike)}. Nothing else is wrong by itself."
    a_ran = any(each.a_step is not None for each in found.tensors)
    b_ran = any(each.b_step is not None for each in found.tensors)
    if a_ran and b_ran:
        return f"Neither is wrong: {again} either is within rounding."
    right, other = ("a", "b") if a_ran else ("b", "a")
    return (
        f"Nothing is wrong in {right}: {again} it is within rounding. "
        f"There were no weights of {other} at hand to do the same."
    )


def why_fault(found: Comparison) -> str:
    """Where it goes wrong first, by how much, and what else does."""
    first, faults = found.faults[0], found.faults[1:]
    sentences = [how_it_differs(first, found.precision)]
    before = found.tensors.index(first)
    if before and all(each.within_tolerance for each in found.tensors[:before]):
        sentences.append(f"The {counted(before, 'before it')} within rounding.")
    if faults:
        names = listed([each.name for each in faults])
        sentences.append(f"Also wrong, whatever they were computed from: {names}.")
    if found.different:
        sentences.append(
            "All else differs because the models do, or because of what it was computed from."
        )
    elif found.rerun and any(each.kind == "differs" for each in found.tensors):
        sentences.append("All else differs only because of what it was computed from.")
    if not found.rerun:
        sentences.append(
            "There were no weights at hand to run the steps again in float64, so this goes by a "
            "rule of thumb and does not say which side is wrong."
        )
    return " ".join(sentences)


VERDICTS = {
    "equal": why_equal,
    "noise": why_noise,
    "different": why_different,
    "edited": why_edited,
    "fault": why_fault,
}


def how_it_differs(first: TensorDifference, precision: str) -> str:
    """The first fault: which side it is on, and what that side has instead of what."""
    steps = {"a": first.a_step, "b": first.b_step}
    wrong = {side: step for side, step in steps.items() if step is not None and step.share > 1}
    if not wrong and first.shape != first.shape_in_b:
        return f"Fault: {two_numbers(first)}."
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
