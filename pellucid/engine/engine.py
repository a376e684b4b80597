"""What an engine is: it runs a graph forwards and backwards, on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from pellucid.decoder.graph import Graph
from pellucid.engine.cache import KeyValueCache
from pellucid.engine.plan import Keep
from pellucid.engine.run import Gradients, Run
from pellucid.ops.operation import Array

Intervene = Callable[[str, Array], Array]
"""Is handed each output by name, `[batch, *dims]`, and returns it or what shall take its place."""


class Engine(Protocol):
    """NumPy's, the reference, or torch's; `NumpyEngine` says what each argument means."""

    graph: Graph
    parameters: Mapping[str, Array]
    dtype: Any
    """Of the arrays that it gives back."""

    def rewired(self, graph: Graph, changed: Mapping[str, Array]) -> Engine:
        """An engine of the same kind for another graph, some of its parameters changed."""
        ...

    def new_cache(self, *, batch: int) -> KeyValueCache:
        """An empty cache for `batch` texts."""
        ...

    def forward(
        self,
        inputs: Mapping[str, Array],
        *,
        keep: Keep | Iterable[str | Keep] = Keep.NOTHING,
        outputs: Iterable[str] = ("logits",),
        intervene: Intervene | None = None,
        cache: KeyValueCache | None = None,
        counts: Array | None = None,
        places: Array | None = None,
    ) -> Run:
        """Run the steps that `outputs` and `keep` need."""
        ...

    def backward(self, run: Run, *, keep_nodes: Iterable[str] = ()) -> Gradients:
        """Carry the gradient of the loss back through a run."""
        ...
