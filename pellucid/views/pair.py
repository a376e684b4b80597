"""Two prompts side by side: their tokens, how far apart they are, and tensors with differences."""

from __future__ import annotations

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
    return f"**a** {ours} and **b** {theirs}: {alike}.{where_they_part(pair)}"


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
    """A tensor of both prompts and its difference; for each head, where there are several."""
    differences = Matrix.each(paired.difference, kind="signed")
    largest = sorted(range(len(differences)), key=lambda i: -magnitude(differences[i].values))
    chosen = sorted(largest[:MOST_SLICES])
    ours, theirs = Matrix.each(paired.a), Matrix.each(paired.b)
    blocks: list[Block] = [Heading(f"{paired.a.title}   {paired.name}", level=3)]
    for i in chosen:
        where = ours[i].title.removeprefix(paired.a.title)
        blocks.append(slice_row(where, ours[i], theirs[i], differences[i]))
    if len(chosen) < len(differences):
        what = f"Shown: {len(chosen)} of {len(differences)}, where the prompts differ most."
        blocks.append(Prose(what))
    return tuple(blocks)


def slice_row(where: str, ours: Matrix, theirs: Matrix, difference: Matrix) -> Row:
    """Both matrices in one scale of colours, and the difference in its own."""
    both = side_by_side(
        *(
            replace(bare(matrix), title=f"{name}{where}", name=None)
            for name, matrix in (("a", ours), ("b", theirs))
        )
    )
    apart = replace(difference, title=f"b − a{where}", name=None)
    return Row((*both.blocks, apart))
