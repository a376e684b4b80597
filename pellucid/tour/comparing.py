"""What becomes of queries, keys and scores in models that know positions by comparing."""

from __future__ import annotations

from pellucid.ops.alibi import alibi_slopes
from pellucid.tour.lesson import HEAD, Lesson, inside
from pellucid.tour.phrases import number, prose
from pellucid.views.catalogue.places import of_head, side_by_side
from pellucid.views.scene import Block, Heading, Matrix

TURNED = """
    How does a query know how far away a key is? Two and two of its numbers are the coordinates of
    an arrow, and each arrow is **turned** by an angle that grows with the position, some pairs
    fast, others slowly. Keys are turned likewise. So a query and a key keep their angle to each
    other wherever they stand, as long as the distance between them is the same.
    """


def placed(lesson: Lesson) -> tuple[Block, ...]:
    """Queries and keys as they are compared, where that is not as they were made."""
    compared = lesson.trace.graph.node(inside("attn.scores")).inputs
    if compared[0] == inside("attn.q"):
        return ()
    config, turned = lesson.model.config, compared[0].endswith("_rotated")
    blocks: list[Block] = [Heading("Queries and keys as they are compared", 2)]
    if config.query_key_norm != "none":
        blocks.append(prose("Each query and each key is brought to one size by a norm of its own."))
    if turned:
        blocks.append(prose(TURNED))
    sides = zip(compared, ("Queries", "Keys"), strict=True)
    matrices = (of_head(lesson.trace, lesson.trace[name], HEAD, title=t) for name, t in sides)
    return (*blocks, side_by_side(*matrices))


def bent(lesson: Lesson) -> tuple[Block, ...]:
    """What else becomes of the scores before the mask."""
    config = lesson.model.config
    blocks: list[Block] = []
    if config.attention_softcap is not None:
        blocks += [
            Heading("A cap", 3),
            prose(
                f"""
                No score is to outgrow all others: each is bent so that none passes
                {config.attention_softcap:g}, up or down. Small ones stay nearly as they are.
                """
            ),
            matrix(lesson, "attn.capped_scores", "Capped scores"),
        ]
    if config.position == "alibi":
        slope = alibi_slopes(config.n_head)[HEAD] * config.alibi_scale
        blocks += [
            Heading("Distance", 3),
            prose(
                f"""
                How does a query know how far away a key is? For each step back the score is
                lowered, in this head by {number(slope)}.
                """
            ),
            matrix(lesson, "attn.biased_scores", "Scores, lowered by distance"),
        ]
    return tuple(blocks)


def matrix(lesson: Lesson, name: str, title: str) -> Matrix:
    """What a tensor of the block holds for the head that is looked into."""
    return of_head(lesson.trace, lesson.inside(name), HEAD, title=title)
