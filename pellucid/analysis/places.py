"""Places: what of a run is restored at a time. A grid of layers by positions, or by heads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pellucid.analysis.contrast import Contrast
from pellucid.decoder.graph import Graph
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Dims
from pellucid.trace.cell import Place, find_cell
from pellucid.trace.tensor import TracedTensor

KINDS = {
    "stream": "resid_pre",
    "attention": "attn.out",
    "mlp": "mlp.out",
    "heads": "attn.z",
}
"""What has a short name: the tensor within a block, or any other by that tensor's own name."""
Positions = Iterable[Place] | str | int | None
"""Positions by index or token; one alone will do, and None is all of them."""
HEADS = ("head", "kv_head")
TOKENS = ("position", "query", "key")
BLOCK = r"blocks\.(\d+)\."


@dataclass(frozen=True, slots=True)
class Row:
    """A tensor of the grid: as it is asked for, its one name, its layer if it has one, its dims."""

    label: str
    name: str
    layer: int | None
    dims: Dims


@dataclass(frozen=True, slots=True)
class Places:
    """A grid: a row for each tensor, a column for each index along `dim`, or None for all at once.

    `positions` are those of the tokens at which something is restored.
    """

    kind: str
    rows: tuple[Row, ...]
    dim: str
    columns: tuple[int | None, ...]
    positions: tuple[int, ...]

    def at(self, row: Row, column: int | None) -> tuple[Any, ...]:
        """The index of a place in an array `[*dims]` of its tensor."""
        index: dict[str, Any] = {dim: slice(None) for dim in row.dims}
        token = first_of(row.dims, TOKENS)
        if token is not None:
            index[token] = list(self.positions)
        if column is not None:
            index[self.dim] = slice(column, column + 1)
        return tuple(index.values())


def first_of(dims: Dims, wanted: Dims) -> str | None:
    """The first of the dims that is one of these."""
    return next((dim for dim in dims if dim in wanted), None)


def find_places(
    graph: Graph,
    kind: str,
    contrast: Contrast,
    *,
    positions: Positions = None,
    together: bool = False,
) -> Places:
    """The places of a kind, of every layer.

    Args:
        graph: of the decoder.
        kind: one of `KINDS`, or the name of a tensor, whole or within a block.
        contrast: the prompts.
        positions: the places in the text to look at, by index or token; all unless given.
        together: whether all columns of a row are one place.

    Raises:
        PellucidError: there is no such tensor or position, or no logit follows from it.
    """
    rows = find_rows(graph, kind)
    chosen = find_positions(contrast, positions)
    head = first_of(rows[0].dims, HEADS)
    dim = head or first_of(rows[0].dims, TOKENS)
    assert dim is not None, rows[0]
    apart = chosen if head is None else tuple(range(graph.sizes[head]))
    return Places(kind, rows, dim, (None,) if together else apart, chosen)


def find_rows(graph: Graph, kind: str) -> tuple[Row, ...]:
    """The tensors of a kind, in the order of the graph."""
    local = KINDS.get(kind, kind)
    known = graph.facts.keys() | graph.aliases.keys()
    layers = sorted({int(name.split(".")[1]) for name in known if name.startswith("blocks.")})
    labels = [label for label in (f"blocks.{i}.{local}" for i in layers) if label in known]
    return tuple(find_row(graph, label) for label in labels or [whole_name(graph, kind)])


def whole_name(graph: Graph, kind: str) -> str:
    """The name of a tensor that is asked for by itself."""
    if kind in KINDS:
        raise PellucidError(
            f'The blocks of this model have no {KINDS[kind]}, so there are no places of "{kind}".'
        )
    if kind in graph.aliases:
        return kind
    try:
        return graph.resolve(kind)
    except PellucidError:
        within = dict.fromkeys(re.sub(BLOCK, "", name) for name in (*graph.facts, *graph.aliases))
        near = did_you_mean(kind, [*KINDS, *within])
    raise PellucidError(
        f'places="{kind}" is none of {", ".join(KINDS)}, and this model has no such tensor.{near}'
    )


def find_row(graph: Graph, label: str) -> Row:
    """A tensor that can be restored: some step makes it, and logits follow from it."""
    name = graph.resolve(label)
    step = graph.owners[name]
    if step.name != name:
        raise PellucidError(
            f"{label} is an intermediate of {step.name}: only what a step makes can be restored. "
            f"Take {step.name}."
        )
    if name == "logits" or step not in graph.needed_for(frozenset({"logits"})):
        raise PellucidError(f"No logit follows from {label}: take a tensor that comes before them.")
    block = re.match(BLOCK, label)
    return Row(label, name, int(block[1]) if block else None, graph.facts[name].dims)


def find_positions(contrast: Contrast, positions: Positions) -> tuple[int, ...]:
    """Indices of positions, each once, in order; a label is one of the clean prompt's."""
    if positions is None:
        return tuple(range(len(contrast.clean)))
    if isinstance(positions, str | int):
        positions = [positions]
    text = TracedTensor(
        name="the clean prompt",
        values=contrast.ids[0],
        dims=("position",),
        labels={"position": contrast.clean_tokens},
        title="",
        equation="",
    )
    found = {find_cell(text, {"position": place})[0] for place in positions}
    if not found:
        raise PellucidError("There is no position in this list: give at least one.")
    return tuple(sorted(found))
