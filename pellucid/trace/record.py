"""Running an engine once over one text, and keeping what it computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.engine.engine import Engine
from pellucid.engine.plan import Keep
from pellucid.ops.operation import Array
from pellucid.trace.budget import names_to_keep
from pellucid.trace.edits import Edit
from pellucid.trace.memory import require_memory
from pellucid.trace.parameters import Parameters
from pellucid.trace.tensor import bases, lock
from pellucid.trace.trace import Trace


def record(
    engine: Engine,
    *,
    config: ModelConfig,
    parameters: Parameters,
    ids: Sequence[int],
    tokens: Sequence[str],
    vocabulary: tuple[str, ...] | None,
    targets: Sequence[int] | None = None,
    edits: Iterable[Edit] = (),
    names: Iterable[str] | None = None,
    memory: float | None = None,
) -> Trace:
    """Trace one text.

    Args:
        engine: what runs.
        config: of the engine's graph.
        parameters: the engine's, labelled.
        ids: `[position]`.
        tokens: a label for each id.
        vocabulary: a label for each id there is, or None.
        targets: `[position]`, −1 where there is none; with them the run goes on to the loss, and
            back.
        edits: what was put into the engine's graph and parameters.
        names: the tensors to keep, with their gradients; everything unless given. Parameters'
            gradients are kept in any case.
        memory: bytes that the run may take; nine tenths of what is available unless given.

    Raises:
        PellucidError: a name is not one of the graph's, or the run would not fit in the memory.
    """
    graph, back = engine.graph, targets is not None
    kept = names_to_keep(graph, names, target=back)
    require_memory(graph, len(ids), engine.dtype, kept, gradients=back, memory=memory)
    inputs = {"ids": np.array([ids], dtype=np.int64)}
    gradients: Mapping[str, Array] = {}
    if targets is None:
        run = engine.forward(inputs, keep=kept, outputs=())
    else:
        inputs["targets"] = np.array([targets], dtype=np.int64)
        run = engine.forward(inputs, keep=(*kept, Keep.BACKWARD), outputs=("loss",))
        found = engine.backward(run, keep_nodes=kept)
        nodes = {name: of_one_text(found.nodes[name]) for name in kept if name in found.nodes}
        gradients = nodes | {name: lock(found.parameters[name]) for name in parameters}
    return Trace(
        config=config,
        graph=graph,
        parameters=parameters,
        ids=tuple(int(i) for i in ids),
        tokens=tuple(tokens),
        vocabulary=vocabulary,
        values={name: of_one_text(run[name]) for name in kept},
        targets=None if targets is None else tuple(int(t) for t in targets),
        gradients=gradients,
        edits=tuple(edits),
    )


def of_one_text(array: Array) -> Array:
    """The only text of a batch, closed to writing, in memory no larger than it is."""
    values = array[0, ...]
    # A small norm's mean is one column of a matrix: the other columns need not stay.
    if any(base.nbytes > values.nbytes for base in bases(values)):
        values = values.copy()
    return lock(values)
