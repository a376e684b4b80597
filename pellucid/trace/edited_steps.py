"""Edits of a generation: the same graph at each step, and the parameters that the step has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pellucid.decoder.graph import Graph
from pellucid.engine.engine import Engine
from pellucid.errors import PellucidError
from pellucid.trace.causality import is_causal
from pellucid.trace.editing import Editing
from pellucid.trace.edits import Edit, MaskAttention, as_edits
from pellucid.trace.parameters import Parameters


class EditedSteps:
    """What runs at each step of a generation of one or several texts.

    A place in the text is the one that it is in the prompt, whatever is added; in a text that
    slides through a window, the one in the window.

    Attributes:
        edits: with places in the prompts as indices.
        graph: with the edits in it.
        parameters: of the first step.
        causal: whether no edit lets the future in, so that a text can be read bit by bit.
        changes_parameters: whether steps differ in their parameters.
    """

    def __init__(
        self,
        edits: Iterable[Edit],
        engine: Engine,
        graph: Graph,
        parameters: Parameters,
        *,
        prompts: Sequence[Sequence[str]],
    ) -> None:
        """Put edits in, whose labels are looked up in the prompts.

        Raises:
            PellucidError: an edit cannot be made, as `Editing.of` says, or means other places in
                one prompt than in another.
        """
        given = as_edits(edits)
        self.engine = engine
        self.of_model = graph, parameters
        self.tokens = max(prompts, key=len, default=())
        ready = [Editing.of(given, graph, parameters, tokens=tokens) for tokens in prompts]
        for number, other in enumerate(ready):
            for typed, one, two in zip(given, ready[0].settled, other.settled, strict=True):
                if one != two:
                    raise PellucidError(
                        f'"{typed}" means other places in prompt {number} than in prompt 0: '
                        f"generate them one at a time."
                    )
        first = Editing.of(ready[0].settled if ready else (), graph, parameters, tokens=self.tokens)
        self.edits = first.edits
        self.graph = first.graph
        self.parameters = first.parameters
        self.causal = is_causal(first.graph, len(self.tokens))
        self.at_times = [edit for edit in given if self.is_for_a_time(edit)]
        self.engines = {self.active(0): first.engine(engine)}

    @property
    def changes_parameters(self) -> bool:
        return bool(self.at_times)

    def at(self, step: int) -> Engine:
        """The engine that runs at a step."""
        active = self.active(step)
        if active not in self.engines:
            graph, parameters = self.of_model
            editing = Editing.of(self.edits_at(step), graph, parameters, tokens=self.tokens)
            self.engines[active] = editing.engine(self.engine)
        return self.engines[active]

    def active(self, step: int) -> tuple[bool, ...]:
        """Which of the edits of parameters that are for some steps apply at this one."""
        return tuple(step in (edit.steps or ()) for edit in self.at_times)

    def is_for_a_time(self, edit: Edit) -> bool:
        """Whether an edit is of a parameter and for some steps alone."""
        if edit.steps is None or isinstance(edit, MaskAttention):
            return False
        graph, parameters = self.of_model
        return graph.resolve(edit.name, or_parameter=True) in parameters

    def edits_at(self, step: int) -> Iterator[Edit]:
        """Those of tensors, whose steps the graph knows, and those of parameters that apply now."""
        for edit in self.edits:
            if not self.is_for_a_time(edit):
                yield edit
            elif step in (edit.steps or ()):
                yield msgspec.structs.replace(edit, steps=None)
