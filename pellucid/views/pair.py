"""Two prompts side by side: their tokens, how far apart they are, and tensors with differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pellucid.analysis.alignment import Slot
from pellucid.analysis.pair import Pair, PairedTensor
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import bare, magnitude, quoted, shortened, side_by_side
from pellucid.views.effect import movements
from pellucid.views.labels import label
from pellucid.views.markup import escape
from pellucid.views.prediction_shift import shift_blocks
from pellucid.views.scene import Block, Heading, Matrix, Prose, Row, Table

NAMED = 4
"""So many places are named in which the prompts have other tokens."""
MOST_SLICES = 4
"""Of a tensor with more heads, those are shown in which the prompts differ most."""


def two_prompts(pair: Pair) -> tuple[Block, ...]:
    """The tokens beside each other, how far apart each step is, and what comes next."""
    return (
        Prose(in_words(pair)),
        tokens(pair),
        *movements(pair.tensors, pair.stream),
        *(() if pair.shift is None else shift_blocks(pair.shift, before="a", after="b")),
    )


def in_words(pair: Pair) -> str:
    """Both prompts, and how many of their tokens stand side by side."""
    same = sum(slot.same for slot in pair.slots)
    ours, theirs = (f"“{escape(quoted(trace.tokens))}”" for trace in (pair.a, pair.b))
    alike = f"{same:,} of {len(pair.slots):,} places have the same token"
    others = [other(pair, slot) for slot in pair.slots if not slot.same]
    if others:
        more = f" and {len(others) - NAMED:,} more" if len(others) > NAMED else ""
        alike += f"; the other{'s' if others[1:] else ''}: {', '.join(others[:NAMED])}{more}"
    return f"**a** {ours} and **b** {theirs}: {alike}.{where_they_part(pair)}"


def other(pair: Pair, slot: Slot) -> str:
    """Where the prompts have two tokens, or one of them has none."""
    ours, theirs = (
        None if place is None else f"`{escape(label(shortened(trace.tokens[place])))}`"
        for trace, place in ((pair.a, slot.a), (pair.b, slot.b))
    )
    if ours and theirs:
        return f"{ours} → {theirs}"
    return f"{ours} in a alone" if ours else f"{theirs} in b alone"


def where_they_part(pair: Pair) -> str:
    """From which token on one text stands behind the other, if it ever does."""
    behind = next(((a, b) for a, b in pair.shared if a != b), None)
    if behind is None:
        return ""
    late = behind[1] - behind[0]
    who, by = ("b", late) if late > 0 else ("a", -late)
    places = "place" if by == 1 else "places"
    word = escape(label(shortened(pair.a.tokens[behind[0]])))
    return f" From `{word}` on, {who} stands {by:,} {places} later, so its positions differ too."


def tokens(pair: Pair) -> Table:
    """Every place of the alignment, and how far apart what comes next is there."""
    apart = dict(zip(pair.shared, pair.divergences, strict=False))
    return Table(
        "Tokens side by side",
        ("a", "b", "", "KL, nats"),
        tuple(
            (
                placed(pair.a, slot.a),
                placed(pair.b, slot.b),
                relation(slot),
                None if slot.a is None or slot.b is None else apart.get((slot.a, slot.b)),
            )
            for slot in pair.slots
        ),
        align=("left", "left", "left", "decimal"),
        note="KL: how far apart what comes next is after either token, KL(a ‖ b).",
    )


def placed(trace: Trace, position: int | None) -> str:
    """A token with its position; nothing for a gap."""
    return "" if position is None else f"{position} {label(shortened(trace.tokens[position]))}"


def relation(slot: Slot) -> str:
    """How the two tokens of a place stand to each other."""
    if slot.a is None or slot.b is None:
        return "only in b" if slot.a is None else "only in a"
    return "" if slot.same else "differs"


def paired_tensor_blocks(paired: PairedTensor) -> tuple[Block, ...]:
    """A tensor of both prompts and its difference.

    Where there are several heads, the differences of all, or of those in which the prompts differ
    most, and then both tensors in that in which they differ most.
    """
    whole = paired.a.title
    heading = Heading(f"{whole}   {paired.name}", level=3)
    ours = titled(Matrix.each(paired.a), whole, "a")
    theirs = titled(Matrix.each(paired.b), whole, "b")
    apart = titled(Matrix.each(paired.difference, kind="signed"), paired.difference.title, "b − a")
    if len(apart) == 1:
        return (heading, Row((*side_by_side(ours[0], theirs[0]).blocks, apart[0])))
    largest = sorted(range(len(apart)), key=lambda place: -magnitude(apart[place].values))
    blocks: list[Block] = [
        heading,
        side_by_side(*(apart[place] for place in sorted(largest[:MOST_SLICES]))),
    ]
    if len(apart) > MOST_SLICES:
        shown = f"Shown: {MOST_SLICES} of {len(apart)}, where the prompts differ most."
        blocks.append(Prose(shown))
    return (*blocks, side_by_side(ours[largest[0]], theirs[largest[0]]))


def titled(matrices: Sequence[Matrix], whole: str, name: str) -> list[Matrix]:
    """Matrices of one tensor by a short name: a, head 3."""
    return [
        replace(bare(matrix), title=f"{name}{matrix.title.removeprefix(whole)}", name=None)
        for matrix in matrices
    ]
