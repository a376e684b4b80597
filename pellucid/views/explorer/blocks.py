"""Chapters for a page: a tour's scenes as plain data, in the form of `web/src/wire.ts`.

Matrices of tensors are named, not copied: the page shows them with the numbers of its own run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.trace.explanation import spell
from pellucid.trace.trace import Trace
from pellucid.views import markup
from pellucid.views.explorer.owners import head_of, owned, parameter_of, place_of
from pellucid.views.scene import (
    Bars,
    Block,
    Curve,
    Equation,
    Flow,
    GraphDiagram,
    Heading,
    Listing,
    Matrix,
    Network,
    Prose,
    Row,
    Scene,
    Table,
)

Data = dict[str, Any]
DIGITS = 6
"""Of a point on a curve."""


def chapter_data(scene: Scene, trace: Trace) -> Data:
    """A scene as a chapter of the page that shows `trace`."""
    return {"title": scene.title, "blocks": [block_data(block, trace) for block in scene.blocks]}


def block_data(block: Block, trace: Trace) -> Data:
    """A block; of one that the page cannot draw, where to look instead."""
    live = LIVE.get(type(block))
    if live is not None:
        return live(block, trace)
    write = WRITERS.get(type(block))
    return write(block) if write is not None else elsewhere(block)


def elsewhere(block: Any) -> Data:
    """A sentence in the place of a picture."""
    title = markup.escape(getattr(block, "title", None) or type(block).__name__)
    return prose(Prose(f"**{title}**: this page does not draw it. Its numbers are on the stage."))


def heading(block: Heading) -> Data:
    """A title."""
    return {"block": "heading", "text": block.text, "level": block.level}


def prose(block: Prose) -> Data:
    """Paragraphs, each as runs of text."""
    return {"block": "prose", "paragraphs": [list(map(span, part)) for part in block.paragraphs]}


def span(span: markup.Span) -> Data | str:
    """A run of text; what points at a tensor or one of its cells says at which."""
    if span.kind == "text":
        return span.text
    pointing = {"target": span.target} if span.target is not None else {}
    return {"text": span.text, "kind": span.kind, **pointing}


def equation(block: Equation) -> Data:
    """A formula, in plain text and in LaTeX."""
    return {"block": "equation", "plain": block.plain, "latex": block.latex}


def matrix(block: Matrix, trace: Trace) -> Data:
    """A tensor of the trace by its name; other numbers, another model's too, as they are."""
    if block.name is not None and owned(block.name, block.values, trace):
        return {
            "block": "tensor",
            "name": block.name,
            "title": block.title,
            "note": block.note,
            "head": head_of(block.name, block.values, trace),
        }
    return {
        "block": "matrix",
        "title": block.title,
        "kind": block.kind,
        "note": block.note,
        "rows": [block.rows.dim, block.rows.labels],
        "columns": [block.columns.dim, block.columns.labels],
        "values": [[spell(float(value)) for value in row] for row in block.values],
    }


def flow(block: Flow, trace: Trace) -> Data:
    """Who takes from whom, by the name of the pattern; of another model, its numbers."""
    if block.name is None or not owned(block.name, block.weights, trace):
        shares = Matrix(
            block.title, block.weights, block.targets, block.sources, kind="probability"
        )
        return matrix(shares, trace)
    head = head_of(block.name, block.weights, trace)
    return {"block": "flow", "name": block.name, "title": block.title, "head": head}


def network(block: Network, trace: Trace) -> Data:
    """Units and lines by the names of their tensors."""
    named = {layer.name or "": layer.values for layer in block.layers}
    position = place_of(named, trace)
    weights = [parameter_of(each, trace) for each in block.weights]
    if position is None or None in weights:
        return elsewhere(block)
    return {
        "block": "network",
        "title": block.title,
        "position": position,
        "layers": [{"title": layer.title, "name": layer.name} for layer in block.layers],
        "weights": weights,
        "note": block.note,
    }


def diagram(block: GraphDiagram) -> Data:
    """The decoder as a map, which the page draws from its own graph."""
    return {"block": "map"}


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
    """Numbers along an axis, to more digits than a drawing of them can show."""
    return [spell(float(f"{number:.{DIGITS}g}")) for number in numbers]


def listing(block: Listing) -> Data:
    """Text that keeps its own lines."""
    return {"block": "listing", "text": block.text, "title": block.title}


def row(block: Row, trace: Trace) -> Data:
    """Blocks side by side."""
    blocks = [block_data(each, trace) for each in block.blocks]
    return {"block": "row", "blocks": blocks, "joined": are_joined(blocks, trace)}


def are_joined(blocks: list[Data], trace: Trace) -> bool:
    """Whether the last of some tensors is made of another of them."""
    names = [block["name"] for block in blocks if block["block"] == "tensor"]
    maker = trace.graph.owners.get(names[-1]) if names else None
    return maker is not None and not {*maker.inputs}.isdisjoint(names)


WRITERS: dict[type, Callable[[Any], Data]] = {
    Heading: heading,
    Prose: prose,
    Equation: equation,
    Table: table,
    Bars: bars,
    Curve: curve,
    Listing: listing,
    GraphDiagram: diagram,
}
LIVE: dict[type, Callable[[Any, Trace], Data]] = {
    Matrix: matrix,
    Flow: flow,
    Network: network,
    Row: row,
}
"""Those whose numbers may be the trace's own."""
