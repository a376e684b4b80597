"""Chapters for a page: a tour's scenes as plain data, in the form of `web/src/wire.ts`.

Matrices of tensors are named, not copied: the page shows them with the numbers of its own run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pellucid.trace.explanation import spell
from pellucid.views import markup
from pellucid.views.scene import (
    Bars,
    Block,
    Curve,
    Equation,
    Heading,
    Listing,
    Matrix,
    Prose,
    Row,
    Scene,
    Table,
)

Data = dict[str, Any]


def chapter_data(scene: Scene) -> Data:
    """A scene as a chapter."""
    return {"title": scene.title, "blocks": list(blocks_data(scene.blocks))}


def blocks_data(blocks: Iterable[Block]) -> Iterable[Data]:
    """Those blocks that a page can show; its stack and its stage stand for the others."""
    for block in blocks:
        write = WRITERS.get(type(block))
        if write is not None:
            yield write(block)


def heading(block: Heading) -> Data:
    """A title."""
    return {"block": "heading", "text": block.text, "level": block.level}


def prose(block: Prose) -> Data:
    """Paragraphs, each as runs of text."""
    return {"block": "prose", "paragraphs": [list(map(span, part)) for part in block.paragraphs]}


def span(span: markup.Span) -> Data:
    """A run of text; what points at a tensor or one of its cells says at which."""
    return {"text": span.text, "kind": span.kind, "target": span.target}


def equation(block: Equation) -> Data:
    """A formula, in plain text and in LaTeX."""
    return {"block": "equation", "plain": block.plain, "latex": block.latex}


def matrix(block: Matrix) -> Data:
    """A tensor by its name; other numbers as they are."""
    if block.name is not None:
        return {"block": "tensor", "name": block.name, "title": block.title, "note": block.note}
    return {
        "block": "matrix",
        "title": block.title,
        "kind": block.kind,
        "note": block.note,
        "rows": [block.rows.dim, block.rows.labels],
        "columns": [block.columns.dim, block.columns.labels],
        "values": [[spell(float(value)) for value in row] for row in block.values],
    }


def table(block: Table) -> Data:
    """Rows of words and numbers."""
    return {
        "block": "table",
        "title": block.title,
        "columns": block.columns,
        "rows": [[spell(c) if isinstance(c, float) else c for c in row] for row in block.rows],
        "note": block.note,
    }


def bars(block: Bars) -> Data:
    """Labelled lengths."""
    return {
        "block": "bars",
        "title": block.title,
        "items": block.items,
        "limit": block.limit,
        "unit": block.unit,
        "note": block.note,
    }


def curve(block: Curve) -> Data:
    """Lines over a common axis."""
    return {
        "block": "curve",
        "title": block.title,
        "x": block.x_label,
        "y": block.y_label,
        "series": [
            {"name": each.name, "x": points(each.x), "y": points(each.y)} for each in block.series
        ],
        "levels": [{"name": level.name, "y": level.y} for level in block.levels],
        "note": block.note,
    }


def points(numbers: Any) -> list[Any]:
    """Numbers along an axis."""
    return [spell(float(number)) for number in numbers]


def listing(block: Listing) -> Data:
    """Text that keeps its own lines."""
    return {"block": "listing", "text": block.text, "title": block.title}


def row(block: Row) -> Data:
    """Blocks side by side."""
    return {"block": "row", "blocks": list(blocks_data(block.blocks))}


WRITERS: dict[type, Callable[[Any], Data]] = {
    Heading: heading,
    Prose: prose,
    Equation: equation,
    Matrix: matrix,
    Table: table,
    Bars: bars,
    Curve: curve,
    Listing: listing,
    Row: row,
}
