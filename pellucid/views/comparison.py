"""What came of comparing two runs: the verdict in words, and tensor beside tensor."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from pellucid.errors import PellucidError
from pellucid.ops.figures import figure
from pellucid.trace.comparison import Comparison, TensorDifference
from pellucid.views.effect import effect_blocks
from pellucid.views.markup import escape
from pellucid.views.scene import Block, Prose, Table

WHERE = {
    "fault": "is wrong, and where others are",
    "different": "differs, and where others do",
    "edited": "was edited, and where others were",
}
MOST_ROWS = 16
"""A longer comparison shows a part of its tensors."""
BEFORE, AFTER = 4, 3
"""How many tensors are shown around the first that is wrong, beside all others that are."""
WORDS = {
    "equal": "equal",
    "noise": "rounding",
    "fault": "wrong",
    "changed": "differs",
    "edited": "edited",
    "differs": "follows",
}
CHANGES = (
    "`change`: the root mean square of the change, as a share of that of the numbers in a; `a`, "
    "`b`: the two numbers that are furthest apart."
)
LEGEND = {
    "fault": "`wrong`: more than rounding explains, whatever it was computed from.",
    "changed": "`differs`: the models have other weights or another step there; neither is wrong.",
    "edited": "`edited`: an edit changed it, or weights that it was computed with.",
    "differs": "`follows`: because of what it was computed from.",
}


def comparison_blocks(found: Comparison) -> tuple[Block, ...]:
    """The verdict and its reason, the tensors, and the weights that are not the same."""
    blocks: list[Block] = [lead(found)]
    draw = change_table if found.verdict == "edited" else table
    if found.verdict != "equal":
        shown, note = selection(found)
        blocks.append(draw("Tensors, in the order in which they are computed", shown, note))
    apart = found.weights_apart
    if apart:
        note = CHANGES if found.verdict == "edited" else units(found)
        if len(apart) > MOST_ROWS:
            note += f" Shown: {MOST_ROWS} of {len(apart):,}."
        blocks.append(draw("Weights that differ", apart[:MOST_ROWS], note))
    if found.verdict in ("edited", "different") and found.first is not None:
        blocks += effect_blocks(found)
    return tuple(blocks)


def before_and_after(comparison: Comparison) -> tuple[Block, ...]:
    """What was edited, how far the change travels, and what comes next before and after.

    Raises PellucidError where the two runs are the same, so that nothing moved.
    """
    if comparison.stream is None:
        raise PellucidError("Nothing moved: the two runs are the same, bit for bit.")
    return (lead(comparison), *effect_blocks(comparison))


def lead(found: Comparison) -> Prose:
    """The verdict in a word, and its reason."""
    verdict, _, why = found.reason.partition(":")
    return Prose(f"**{verdict}:**{escape(why)}")


def selection(found: Comparison) -> tuple[Sequence[TensorDifference], str]:
    """The tensors to show, and a note on what they are."""
    tensors, notes = found.tensors, [CHANGES if found.verdict == "edited" else units(found)]
    kinds = {each.kind for each in tensors}
    notes += [words for kind, words in LEGEND.items() if kind in kinds]
    if len(tensors) <= MOST_ROWS:
        return tensors, " ".join([*notes, *missing(found)])
    if found.first is not None:
        place = tensors.index(found.first)
        around = tensors[max(0, place - BEFORE) : place + AFTER + 1]
        others = found.faults or found.changed or found.edited
        chosen = [each for each in tensors if each in around or each in others][:MOST_ROWS]
        word = WHERE[found.verdict]
        what = f"around the first that {word}"
    else:
        nearest = sorted(tensors, key=nearness, reverse=True)[:MOST_ROWS]
        chosen = [each for each in tensors if each in nearest]
        what = "those that come nearest to what rounding may do"
    notes.append(f"Shown: {len(chosen)} of {len(tensors)}, {what}.")
    return chosen, " ".join([*notes, *missing(found)])


def nearness(each: TensorDifference) -> tuple[float, float]:
    """How near a tensor comes to what rounding may do at the most."""
    return each.share or 0.0, each.largest_ulps


def table(title: str, shown: Sequence[TensorDifference], note: str) -> Table:
    """Tensor beside tensor: largest and typical error, and where the largest is."""
    return Table(
        title,
        ("tensor", "verdict", "largest", "ulps", "typical", "at"),
        tuple(row(each) for each in shown),
        align=("left", "left", "right", "right", "right", "left"),
        note=note,
    )


def row(each: TensorDifference) -> tuple[str, ...]:
    """One tensor; no numbers where there is no difference."""
    word = WORDS[each.kind]
    if each.kind == "equal":
        return each.name, word, "", "", "", ""
    if each.shape != each.shape_in_b:
        shapes = " and ".join("×".join(map(str, shape)) for shape in (each.shape, each.shape_in_b))
        return each.name, word, "", "", "", f"shapes {shapes}"
    # One word, so that the column is left out rather than broken where it does not fit.
    where = each.where.replace(", ", ",")
    ulps = (short(each.largest_ulps), short(each.typical_ulps))
    return each.name, word, short(each.largest), *ulps, where


def change_table(title: str, shown: Sequence[TensorDifference], note: str) -> Table:
    """Tensor beside tensor: how far it moved, and the two numbers that are furthest apart."""
    return Table(
        title,
        ("tensor", "verdict", "change", "a", "b", "at"),
        tuple(change_row(each) for each in shown),
        align=("left", "left", "right", "right", "right", "left"),
        note=note,
    )


def change_row(each: TensorDifference) -> tuple[str, ...]:
    """One tensor; no numbers where nothing changed."""
    if each.kind == "equal":
        return each.name, WORDS[each.kind], "", "", "", ""
    moved = f"{short(100 * each.relative)}%" if isfinite(each.relative) else "∞"
    where = each.where.replace(", ", ",")
    return each.name, WORDS[each.kind], moved, figure(each.a, 3), figure(each.b, 3), where


def units(found: Comparison) -> str:
    """What the numbers are in."""
    return (
        f"`ulps`: the largest error in units of the last place of its number, a "
        f"{found.precision}; `typical`: the median of all errors, each in its own number's unit. "
        f"A smaller number has a smaller unit, so `typical` may be above `ulps`."
    )


def missing(found: Comparison) -> list[str]:
    """How many tensors one side lacks."""
    sides = (("b", found.only_in_a), ("a", found.only_in_b))
    return [f"Not in {side}: {len(names):,} more." for side, names in sides if names]


def short(number: float) -> str:
    """Two digits: 0.5, 12, 2.4e−7; no decimals above a hundred, and a power of ten for many."""
    if number == float("inf"):
        return "∞"
    digits, e, power = (f"{number:,.0f}" if 100 <= number < 1e5 else f"{number:.2g}").partition("e")
    return f"{digits}e{int(power)}".replace("-", "−") if e else digits
