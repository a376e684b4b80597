"""Who looks at whom: each row of the pattern as a chart of its own."""

from __future__ import annotations

from pellucid.tour.lesson import HEAD, Lesson
from pellucid.tour.phrases import prose, see, share_of_all
from pellucid.views.scene import Bars, Block, Heading, Row

SHOWN_QUERIES = 8
"""Of a long prompt only so many tokens are drawn, the last ones."""


def flow(lesson: Lesson) -> tuple[Block, ...]:
    """How each token shares its attention among those that it can see."""
    size = len(lesson.trace.tokens)
    first = max(size - SHOWN_QUERIES, 0)
    return (
        Heading("Who looks at whom", 2),
        prose(
            f"""
            Where does each token's information come from? Each chart is one row of the pattern. A
            full bar is all the attention that a token has.
            {f"Drawn are the last {SHOWN_QUERIES} of {size} tokens." if first else ""}
            """
        ),
        Row(tuple(looks(lesson, query) for query in range(first, size))),
        see(strongest(lesson)),
    )


def looks(lesson: Lesson, query: int) -> Bars:
    """What one token sees: itself and those before it, none of those after."""
    tokens = lesson.trace.tokens
    shares = lesson.inside("attn.pattern").values[HEAD, query, : query + 1]
    return Bars(
        title=f"{tokens[query]} looks at",
        items=tuple((tokens[key], float(share)) for key, share in enumerate(shares)),
        limit=1.0,
    )


def strongest(lesson: Lesson) -> str:
    """The strongest look back, and where the last token looks."""
    pattern, (query, key) = lesson.inside("attn.pattern").values[HEAD], lesson.look
    last = len(pattern) - 1
    if last == 0:
        return f"{lesson.token(0)} stands alone, so all of its attention is its own."
    back = f"""{lesson.token(query)} takes {share_of_all(pattern[query, key])} of what it
        gathers from {lesson.token(key)}."""
    if query == last:
        return f"{back} It is the last token, whose row makes the prediction."
    favourite = int(pattern[last].argmax())
    target = "itself" if favourite == last else lesson.token(favourite)
    return f"""{back} The last token, {lesson.token(last)}, whose row makes the prediction, looks
        most at {target}: {share_of_all(pattern[last, favourite])}."""
