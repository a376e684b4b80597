"""Who looks at whom: the pattern as lines from token to token."""

from __future__ import annotations

from pellucid.tour.lesson import BLOCK, HEAD, Lesson
from pellucid.tour.phrases import prose, see, share_cell
from pellucid.views.catalogue.attention import flow as lines
from pellucid.views.scene import Block, Heading


def flow(lesson: Lesson) -> tuple[Block, ...]:
    """How each token shares its attention among those that it can see."""
    return (
        Heading("Who looks at whom", 2),
        prose(
            """
            Where does each token's information come from? A line joins each token, at the right, to
            those that it takes from, at the left: the wider, the larger the share. They are the
            numbers of the pattern.
            """
        ),
        *lines(lesson.trace, block=BLOCK, head=HEAD),
        see(strongest(lesson)),
    )


def strongest(lesson: Lesson) -> str:
    """The strongest look back, and where the last token looks."""
    pattern, (query, key) = lesson.inside("attn.pattern"), lesson.look
    last = len(lesson.trace.tokens) - 1
    if last == 0:
        return f"{lesson.token(0)} stands alone, so all of its attention is its own."
    back = f"""{lesson.token(query)} takes {share_cell(pattern, HEAD, query, key)} of what it
        gathers from {lesson.token(key)}."""
    if query == last:
        return f"{back} It is the last token, whose row makes the prediction."
    favourite = int(pattern.values[HEAD, last].argmax())
    target = "itself" if favourite == last else lesson.token(favourite)
    return f"""{back} The last token, {lesson.token(last)}, whose row makes the prediction, looks
        most at {target}: {share_cell(pattern, HEAD, last, favourite)}."""
