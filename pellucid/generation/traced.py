"""Reading one text as it is generated, and keeping everything: a trace for each stretch of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.engine.engine import Engine
from pellucid.generation.loop import Windows
from pellucid.generation.step import Logits
from pellucid.generation.stretch import Stretch
from pellucid.trace.budget import names_to_keep
from pellucid.trace.edits import Edit
from pellucid.trace.memory import require_memory
from pellucid.trace.parameters import Parameters
from pellucid.trace.record import of_one_text
from pellucid.trace.trace import Trace


class TracedReader:
    """Reads the windows of a single text with a cache, as a generation hands them on.

    A window that is what was read before and one id more goes on with the stretch; any other, as
    each one is once the window slides, begins a new stretch. So does a text whose length changes
    what stands in the cache.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        config: ModelConfig,
        parameters: Parameters,
        vocabulary: tuple[str, ...] | None,
        labels: Callable[[Sequence[int]], tuple[str, ...]],
        n_tokens: int,
        edits: tuple[Edit, ...] = (),
        reads_on: bool = True,
    ) -> None:
        """Nothing has been read yet. Rows of the vocabulary from `n_tokens` on are no tokens.

        `edits` are in the engine already. Unless it `reads_on`, every window is read anew, as is
        needed where they let the future in.
        """
        self.engine = engine
        self.edits = edits
        self.reads_on = reads_on
        self.config = config
        self.parameters = parameters
        self.vocabulary = vocabulary
        self.labels = labels
        self.n_tokens = n_tokens
        self.stretches: list[Stretch] = []
        self.steps = 0

    def __call__(self, windows: Windows) -> dict[int, Logits]:
        """The logits `[vocab]` after the one window that there is, by the number of its text.

        Raises PellucidError where keeping everything would take more memory than there is.
        """
        ((number, window),) = windows.items()
        kept = names_to_keep(self.engine.graph, None, target=False)
        require_memory(self.engine.graph, len(window), self.engine.dtype, kept, gradients=False)
        last = self.stretches[-1:]
        if not (last and self.reads_on and last[0].goes_on_with(window)):
            self.stretches.append(Stretch(self.engine))
        stretch = self.stretches[-1]
        logits = stretch.read(list(window[len(stretch.ids) :]), step=self.steps).copy()
        self.steps += 1
        logits[self.n_tokens :] = -np.inf
        return {number: logits}

    def traces(self) -> tuple[Trace, ...]:
        """A trace for each stretch, of all that it has read so far."""
        return tuple(self.trace(stretch) for stretch in self.stretches)

    def trace(self, stretch: Stretch) -> Trace:
        """Everything that the runs of a stretch computed."""
        values = stretch.values()
        kept = names_to_keep(self.engine.graph, None, target=False)
        return Trace(
            config=self.config,
            graph=self.engine.graph,
            parameters=self.parameters,
            ids=tuple(stretch.ids),
            tokens=self.labels(stretch.ids),
            vocabulary=self.vocabulary,
            values={name: of_one_text(values[name]) for name in kept},
            written=tuple(stretch.written),
            edits=self.edits,
        )
