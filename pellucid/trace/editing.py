"""Edits put into a model for one run: a step in its graph for each, or other parameters.

So whatever follows from a graph knows of them: both engines, gradients, explanations, checks. The
gradient at an edited tensor is by what it is after the edit; what goes further back, to
`NAME.unedited`, goes through the edit itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.decoder.graph import Fact, Graph
from pellucid.decoder.rewriting import put_behind
from pellucid.engine.engine import Engine
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.blocked import check_that_queries_see
from pellucid.trace.budget import sizes_of
from pellucid.trace.edit_steps import settled, step_of
from pellucid.trace.edits import Edit, MaskAttention, as_edits
from pellucid.trace.parameters import AbsentParameters, EditedParameters, Parameters
from pellucid.trace.tensor import TracedTensor, lock


@dataclass(frozen=True, slots=True)
class Editing:
    """A graph with edits in it, and parameters that have been edited.

    Where there is no edit they are the model's own.
    """

    edits: tuple[Edit, ...]
    settled: tuple[Edit, ...]
    """The same, but with places in the text as indices, whatever is added to it."""
    graph: Graph
    parameters: Parameters

    @classmethod
    def of(
        cls, edits: Iterable[Edit], graph: Graph, parameters: Parameters, *, tokens: Sequence[str]
    ) -> Editing:
        """Put edits in, one after the other.

        Args:
            edits: in the order in which they apply.
            graph: of the model.
            parameters: of the model.
            tokens: of the text: labels are looked up among them.

        Raises:
            PellucidError: an edit names a tensor, a dim or a place that is not there, has a value
                of another shape than its cells, or leaves a query without a key.
        """
        return cls.batch([as_edits(edits)], graph, parameters, tokens=tokens)

    @classmethod
    def batch(
        cls,
        lists: Sequence[Sequence[Edit]],
        graph: Graph,
        parameters: Parameters,
        *,
        tokens: Sequence[str],
    ) -> Editing:
        """Put a list of edits in for each text of a batch; the texts are of one length.

        Raises:
            PellucidError: as `of`; or a parameter is edited, which all texts of a batch share.
        """
        if not any(lists):
            return cls((), (), graph, parameters)
        site = Site(graph, parameters, tokens)
        for number, edits in enumerate(lists):
            for edit in edits:
                site.put_in(edit, np.array([number]) if len(lists) > 1 else None)
        every = tuple(edit for edits in lists for edit in edits)
        steps = {step for edit in every for step in edit.steps or ()}
        check_that_queries_see(site.graph, tokens, batch=len(lists), steps=steps)
        changed = {name: lock(array) for name, array in site.changed.items()}
        edited = EditedParameters(parameters, changed) if changed else parameters
        return cls(every, tuple(site.settled), site.graph, edited)

    def engine(self, engine: Engine) -> Engine:
        """An engine as the model's own, but with the edits."""
        if not self.edits:
            return engine
        changed = self.parameters.changed if isinstance(self.parameters, EditedParameters) else {}
        return engine.rewired(self.graph, changed)


class Site:
    """A graph and parameters into which edits are being put."""

    def __init__(self, graph: Graph, parameters: Parameters, tokens: Sequence[str]) -> None:
        self.of_model = graph
        self.graph = graph
        self.parameters = parameters
        self.changed: dict[str, Array] = {}
        self.settled: list[Edit] = []
        self.labels = dict.fromkeys(("position", "query", "key"), tuple(tokens))
        if parameters.vocabulary is not None:
            self.labels["vocab"] = parameters.vocabulary
        self.sizes = sizes_of(graph, len(tokens))

    def put_in(self, edit: Edit, texts: Array | None) -> None:
        """Put one edit behind those that are there, for some texts of a batch or for all."""
        for name in self.names(edit):
            if name in self.parameters:
                self.edit_parameter(name, edit, texts)
            else:
                step = step_of(edit, self.outline(self.of_model.facts[name]), texts)
                self.graph = put_behind(self.graph, name, step, *step.reads)
                edit = settled(edit, step.cells)
        self.settled.append(edit)

    def names(self, edit: Edit) -> list[str]:
        """Own names of the tensors that an edit changes.

        Raises:
            PellucidError: there is no such tensor, or no such layer.
        """
        if not isinstance(edit, MaskAttention):
            return [self.of_model.resolve(edit.name, or_parameter=True)]
        scores = [name for name in self.of_model.facts if name.endswith(".attn.masked_scores")]
        layers = range(len(scores)) if edit.layer is None else edit.layer
        several = [layers] if isinstance(layers, int) else list(layers)
        if not several:
            raise PellucidError("layer=() names no layer: leave it out for all of them.")
        for layer in several:
            if layer not in range(len(scores)):
                raise PellucidError(f"layer={layer}: this model has layers 0 to {len(scores) - 1}.")
        return [scores[layer] for layer in several]

    def edit_parameter(self, name: str, edit: Edit, texts: Array | None) -> None:
        """Change a parameter, as a tensor is changed on its way."""
        if texts is not None:
            raise PellucidError(f"{name} is a parameter, which all texts of a batch share.")
        if isinstance(self.parameters, AbsentParameters):
            return
        before = np.asarray(self.changed.get(name, self.parameters.arrays[name]))
        step = step_of(edit, self.parameters.tensor(name, before), None)
        if 0 not in (edit.steps or (0,)):
            # A run is step 0.
            return
        # Where it has positions, as a table of them, they are all there.
        size = np.array([self.of_model.sizes["position"]])
        every = np.arange(size[0])[None]
        given = {"positions": every, "lengths": size, "step": np.zeros_like(every)}
        edited, _ = step.forward([before[None], *(given[read] for read in step.reads)], ())
        self.changed[name] = edited[0]

    def outline(self, fact: Fact) -> TracedTensor:
        """A tensor as it will be, but for its numbers."""
        shape = tuple(self.sizes[dim] for dim in fact.dims)
        zeros = np.broadcast_to(np.zeros((), dtype=self.parameters.dtype), shape)
        return TracedTensor(fact.name, zeros, fact.dims, self.labels, fact.title, "")
