"""Running an engine once over one text, and keeping what it computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import ParameterSpec
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.ops.operation import Array
from pellucid.trace.tensor import TracedTensor, lock
from pellucid.trace.trace import Trace


def record(
    engine: NumpyEngine,
    *,
    config: ModelConfig,
    parameters: Mapping[str, TracedTensor],
    ids: Sequence[int],
    tokens: Sequence[str],
    vocabulary: tuple[str, ...] | None,
    targets: Sequence[int] | None = None,
    names: Iterable[str] | None = None,
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
        names: the tensors to keep; everything unless given.

    Raises:
        PellucidError: a name is not one of the graph's.
    """
    graph = engine.graph
    wanted = tuple(graph.facts) if names is None else tuple(graph.resolve(n) for n in names)
    if targets is None:
        wanted = tuple(n for n in wanted if not n.startswith("loss"))
    inputs = {"ids": np.array([ids], dtype=np.int64)}
    if targets is None:
        run = engine.forward(inputs, keep=wanted, outputs=())
        gradients: Mapping[str, Array] = {}
    else:
        inputs["targets"] = np.array([targets], dtype=np.int64)
        run = engine.forward(inputs, keep=Keep.EVERYTHING, outputs=("loss",))
        back = engine.backward(run, keep_nodes=True)
        nodes = {n: lock(grad[0, ...]) for n, grad in back.nodes.items() if n in wanted}
        gradients = {**nodes, **{n: lock(grad) for n, grad in back.parameters.items()}}
    return Trace(
        config=config,
        graph=graph,
        parameters=parameters,
        ids=tuple(int(i) for i in ids),
        tokens=tuple(tokens),
        vocabulary=vocabulary,
        values={n: lock(run[n][0, ...]) for n in graph.facts if n in {*wanted, *loss_of(targets)}},
        targets=None if targets is None else tuple(int(t) for t in targets),
        gradients=gradients,
    )


def loss_of(targets: Sequence[int] | None) -> tuple[str, ...]:
    """The loss, where there are targets."""
    return () if targets is None else ("loss",)


def label_parameters(
    specs: Mapping[str, ParameterSpec],
    arrays: Mapping[str, Array],
    vocabulary: tuple[str, ...] | None,
) -> dict[str, TracedTensor]:
    """Parameters as tensors that know what they are, in the order of `specs`."""
    return {
        name: TracedTensor(
            name=name,
            values=arrays[name],
            dims=spec.dims,
            labels={"vocab": vocabulary} if vocabulary and "vocab" in spec.dims else {},
            title=f"Parameter: {' × '.join(spec.dims)}",
            equation="",
        )
        for name, spec in specs.items()
    }
