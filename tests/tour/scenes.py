"""Looking into a scene's blocks."""

import re

from pellucid.views.markup import spans
from pellucid.views.scene import Prose, Row, Table


def flat(blocks):
    """Every block, those that stand side by side one after the other."""
    for block in blocks:
        if isinstance(block, Row):
            yield from flat(block.blocks)
        else:
            yield block


def of_kind(blocks, kind):
    return [block for block in flat(blocks) if isinstance(block, kind)]


def words(blocks):
    """All running text, its marks taken off."""
    paragraphs = (p for block in of_kind(blocks, Prose) for p in block.paragraphs)
    return "\n".join("".join(span.text for span in paragraph) for paragraph in paragraphs)


def links(blocks):
    """Every tensor that running text points at."""
    texts = (block.text for block in of_kind(blocks, Prose))
    return [span.target for text in texts for span in spans(text) if span.kind == "link"]


def table(blocks, *columns):
    """The only table whose columns begin like this."""
    found = [t for t in of_kind(blocks, Table) if t.columns[: len(columns)] == columns]
    assert len(found) == 1, [t.columns for t in of_kind(blocks, Table)]
    return found[0]


def found(pattern, text):
    """What the groups of a pattern stand for in a text that must hold it."""
    match = re.search(pattern, text)
    assert match is not None, text
    return match.groups()
