"""An engine whose runs can be stopped between two steps, when nobody wants them any more."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import TYPE_CHECKING, Any

from pellucid.decoder.graph import Graph
from pellucid.ops.operation import Array

if TYPE_CHECKING:
    from pellucid.engine.engine import Engine
    from pellucid.engine.run import Gradients, Run
    from pellucid.model.model import Model


class StoppedError(Exception):
    """The run was stopped."""


class StoppableEngine:
    """Another engine, which looks up before each step whether to go on."""

    def __init__(self, inner: Engine, stop: Event) -> None:
        self.inner = inner
        self.stop = stop
        self.graph = inner.graph
        self.parameters = inner.parameters
        self.dtype: Any = inner.dtype

    def rewired(self, graph: Graph, changed: Mapping[str, Array]) -> StoppableEngine:
        """The same for another graph."""
        return StoppableEngine(self.inner.rewired(graph, changed), self.stop)

    def new_cache(self, *, batch: int) -> Any:
        """An empty cache for `batch` texts."""
        return self.inner.new_cache(batch=batch)

    def forward(self, inputs: Mapping[str, Array], **options: Any) -> Run:
        """Run, or raise StoppedError."""
        return self.inner.forward(inputs, **{**options, "intervene": self.look_up})

    def backward(self, run: Run, **options: Any) -> Gradients:
        """Carry gradients back, or raise StoppedError before it begins."""
        self.look_up("", None)
        return self.inner.backward(run, **options)

    def look_up(self, name: str, output: Any) -> Any:
        """Hand an output on as it is."""
        if self.stop.is_set():
            raise StoppedError
        return output


def stoppable(model: Model, stop: Event) -> Model:
    """The same model, its weights in the same memory, whose runs `stop` ends."""
    return model.run_by(StoppableEngine(model.engine, stop))
