"""What comes next, before and after, as something to look at."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.ops.figures import figure
from pellucid.trace.prediction_shift import PredictionShift, TokenShift
from pellucid.views.catalogue.places import quoted, shortened
from pellucid.views.labels import label
from pellucid.views.markup import escape
from pellucid.views.numbers import percent
from pellucid.views.scene import Bars, Block, Prose, Row, Table

SIDES = ("a", "b")
LEAST = 0.0005
"""A smaller change of a probability reads as none: numbers go to a tenth of a percentage point."""
STILL = "No token's probability moved by a tenth of a percentage point."


def shift_blocks(
    shift: PredictionShift, *, before: str = "before", after: str = "after"
) -> tuple[Block, ...]:
    """The likeliest tokens of either run beside each other, and those that moved most.

    Args:
        shift: what moved.
        before, after: what the two runs are called.
    """
    titles = titled(shift, before, after)
    lacking = [side for side, found in ((before, shift.before), (after, shift.after)) if not found]
    if lacking:
        return (Prose(without_probabilities(shift, lacking)),)
    moved = [each for each in shift.movers if abs(each.change) >= LEAST]
    return (
        Prose(in_words(shift, before, after)),
        Row(
            (
                likeliest(titles[0], shift.before, "before"),
                likeliest(titles[1], shift.after, "after"),
            )
        ),
        movers(moved, shift.vocabulary, before, after) if moved else Prose(STILL),
    )


def titled(shift: PredictionShift, before: str, after: str) -> tuple[str, str]:
    """What stands over either run's tokens: the text too, where there are two."""
    texts = quoted(shift.text), quoted(shift.text_in_b)
    if texts[0] == texts[1]:
        return (before, after) if before in SIDES else (before.capitalize(), after.capitalize())
    return f"{before}: “{texts[0]}”", f"{after}: “{texts[1]}”"


def in_words(shift: PredictionShift, before: str, after: str) -> str:
    """How far the whole distribution moved, and whether another token is the likeliest."""
    one = shift.text == shift.text_in_b
    where = f"After “{escape(quoted(shift.text))}”" if one else "What comes next"
    moved = f"{where}: KL({before} ‖ {after}) is **{figure(shift.kl, 3)} nats**"
    first, then = shift.before[0], shift.after[0]
    ours, theirs = (f"`{escape(word(each))}`" for each in (first, then))
    here, there = (f"in {side}" if side in SIDES else side for side in (before, after))
    if first.id == then.id:
        shares = f"{percent(first.before)} {here}, {percent(first.after)} {there}"
        return f"{moved}. {ours} stays the likeliest: {shares}."
    return (
        f"{moved}. The likeliest is {ours} {here} ({percent(first.before)}) "
        f"and {theirs} {there} ({percent(then.after)})."
    )


def without_probabilities(shift: PredictionShift, lacking: Sequence[str]) -> str:
    """That a run gives no token a probability, as its logits are no numbers to compare."""
    sides = " and ".join(f"in {side}" if side in SIDES else side for side in lacking)
    where = f" “{escape(quoted(shift.text))}”" if shift.text == shift.text_in_b else ""
    return f"No token has a probability after{where} {sides}: its logits are NaN, or all −∞."


def likeliest(title: str, tokens: Sequence[TokenShift], side: str) -> Bars:
    """The likeliest tokens of one run."""
    items = tuple((each.token, float(getattr(each, side))) for each in tokens)
    return Bars(title, items, limit=1.0, whole=True)


def movers(moved: Sequence[TokenShift], vocabulary: int, before: str, after: str) -> Table:
    """The tokens whose probability changed most."""
    return Table(
        "What moved most",
        ("token", before, after, "change"),
        tuple(
            (word(each), percent(each.before), percent(each.after), points(each.change))
            for each in moved
        ),
        align=("left", "right", "right", "right"),
        note=f"Probabilities among all {vocabulary:,} tokens; the change in percentage points.",
    )


def word(each: TokenShift) -> str:
    """How a token reads, or the beginning and the end of a long one."""
    return label(shortened(each.token))


def points(change: float) -> str:
    """A change of a probability in points of a hundred, with its sign."""
    if abs(change) < LEAST:
        return "+<0.1" if change > 0 else "−<0.1"
    return f"{100 * change:+.1f}".replace("-", "−")
