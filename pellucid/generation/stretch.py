"""A stretch of a generation, in which the window only grows: its runs, joined into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pellucid.decoder.graph import Fact, Graph, Node
from pellucid.engine.engine import Engine
from pellucid.engine.plan import Keep
from pellucid.ops.operation import Array

Values = Mapping[str, Array]
"""Tensors by name, `[1, *dims]`."""


class Stretch:
    """One text read bit by bit, with a cache, and everything kept.

    ids: what has been read.
    written: for each of them the number of the step that read it.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.cache = engine.new_cache(batch=1)
        self.pieces: list[Values] = []
        self.ids: list[int] = []
        self.written: list[int] = []

    def goes_on_with(self, window: Sequence[int]) -> bool:
        """Whether a window is what has been read and one id more, and the cache stands."""
        return self.ids == list(window[:-1]) and self.cache.grows_to(len(window))

    def read(self, ids: Sequence[int], *, step: int) -> Array:
        """Read further ids, in the step of that number; the logits `[vocab]` after the last."""
        given = {"ids": np.array([ids], dtype=np.int64)}
        if self.engine.graph.reads_step:
            given["step"] = np.full((1, len(ids)), step)
        run = self.engine.forward(given, keep=Keep.EVERYTHING, outputs=(), cache=self.cache)
        self.pieces.append(run.values)
        self.ids += ids
        self.written += [step] * len(ids)
        logits: Array = run["logits"][0, -1]
        return logits

    def values(self) -> Values:
        """Every tensor over all that has been read, `[1, *dims]`."""
        if len(self.pieces) > 1:
            self.pieces = [join(self.engine.graph, self.pieces)]
        return self.pieces[0]


def join(graph: Graph, pieces: Sequence[Values]) -> Values:
    """The tensors of successive runs as those of one run over the whole text.

    A run adds rows along `position` and `query`, and its keys and values are all so far. A row that
    was made when fewer keys were known gets its missing part, all of it in its future, from the
    same operation: for scores the products that the decoding had no need of, then −∞ and 0.
    """
    n_positions = max(values["positions"].max() for values in pieces) + 1
    joined: dict[str, Array] = {"positions": np.arange(n_positions)[None]}
    if graph.reads_step:
        joined["step"] = np.concatenate([values["step"] for values in pieces], axis=1)
    if graph.reads_lengths:
        joined["lengths"] = np.array([n_positions])
    for node in graph.nodes:
        for fact in (*node.extras, node.fact):
            if fact.name in pieces[0]:
                joined[fact.name] = join_tensor(node, fact, pieces, joined)
    return joined


def join_tensor(node: Node, fact: Fact, pieces: Sequence[Values], joined: Values) -> Array:
    """One tensor of successive runs, `[1, *dims]`; `joined` has those that came before it."""
    parts = [values[fact.name] for values in pieces]
    if "key" not in fact.dims:
        axis = next(1 + i for i, dim in enumerate(fact.dims) if dim in ("position", "query"))
        return np.concatenate(parts, axis=axis)
    if "query" not in fact.dims:
        return parts[-1]
    whole, _ = node.op.forward([joined[name] for name in node.inputs], ())
    row = 0
    for part in parts:
        queries, keys = part.shape[-2:]
        whole[..., row : row + queries, :keys] = part
        row += queries
    return whole
