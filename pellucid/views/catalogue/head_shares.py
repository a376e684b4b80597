"""What heads look at: their shares for each kind of head, and how attention adds up over blocks."""

from __future__ import annotations

from math import isnan

from pellucid.analysis.head_kinds import KINDS
from pellucid.analysis.head_summary import HeadSummary
from pellucid.analysis.rollout import Rollout as RolloutValues
from pellucid.views.edits import in_note
from pellucid.views.numbers import percent
from pellucid.views.scene import Axis, Block, Matrix, Row, Table

MOST_HEADS = 5


def head_shares(summary: HeadSummary) -> tuple[Block, ...]:
    """For each kind of head, how much of its attention every head gives to what such one looks at.

    Before that, the heads that give most.
    """
    return (
        clearest(summary),
        Row(
            tuple(
                Matrix(
                    kind.capitalize(),
                    shares,
                    Axis("block"),
                    Axis("head"),
                    kind="probability",
                    decimals=2,
                    note=f"By chance {percent(summary.by_chance[kind])}.",
                )
                for kind, shares in summary.shares.items()
            )
        ),
    )


def clearest(summary: HeadSummary) -> Table:
    """The heads that are of each kind, the clearest first."""
    shares = [(kind, share) for kind, share in summary.by_chance.items() if not isnan(share)]
    chance = ", ".join(f"{percent(share)} ({kind})" for kind, share in shares)
    return Table(
        "Heads by what they look at",
        ("kind", "looks at", "heads, and the share of attention that they give to it"),
        tuple((kind, KINDS[kind].says, heads_of(summary, kind)) for kind in summary.kinds),
        note=in_note(
            f"3:5 is head 5 of block 3. Read: {summary.text}. A head is of a kind from "
            f"{percent(summary.threshold)} on; by chance, looking at all it can see alike, "
            f"it would give {chance}.",
            summary.edits,
        ),
    )


def heads_of(summary: HeadSummary, kind: str) -> str:
    """The heads of one kind as one text, or the clearest that falls short of it."""
    named = [head for head in summary.best(kind, top=None) if head.share >= summary.threshold]
    if isnan(summary.by_chance[kind]):
        return "no place in this text to look for"
    if not named:
        (best,) = summary.best(kind, top=1)
        return f"none; most: {best.block}:{best.head} {percent(best.share)}"
    shown = "  ".join(
        f"{each.block}:{each.head} {percent(each.share)}" for each in named[:MOST_HEADS]
    )
    more = len(named) - MOST_HEADS
    return f"{shown}  and {more} more" if more > 0 else shown


def rollout(rollout: RolloutValues, *, block: int = -1) -> tuple[Block, ...]:
    """What each position would hold of each token if the blocks up to one only attended."""
    kept = percent(rollout.residual)
    return (
        Matrix.of(
            rollout.after(block),
            note=in_note(
                f"Heads averaged; each block leaves {kept} of a position where it is.",
                rollout.edits,
            ),
        ),
    )
