"""Trace: everything that one run over one text left behind, by name. It never changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import Fact, Graph
from pellucid.decoder.names import UNEDITED
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.showing import Page, to_html, to_page, to_text
from pellucid.trace.cell import Place
from pellucid.trace.explanation import Explanation
from pellucid.trace.parameters import Parameters
from pellucid.trace.tensor import Labels, TracedTensor, lock

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from xarray import Dataset

    from pellucid.trace.about import HasParameters
    from pellucid.trace.check import Check
    from pellucid.trace.edits import Edit
    from pellucid.trace.explain import Explainer
    from pellucid.trace.paths import Paths

TOKEN_DIMS = ("position", "query", "key")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """Values by name, `trace["blocks.0.attn.pattern"]`; with a target also `loss` and `grad`.

    A trace is one text: its tensors have no batch dim. `targets` has an id for every position, −1
    where there is none, or is None. `parameters` are the model's own, shared and read-only.
    `written`, where a generation left the trace, has the number of the step that read each
    position. `edits` are what was changed on its way, in the order in which it was; a tensor that
    one of them changed is there as it was before, too, as `NAME.unedited`.
    """

    config: ModelConfig
    graph: Graph
    parameters: Parameters
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    vocabulary: tuple[str, ...] | None
    values: Mapping[str, Array]
    targets: tuple[int, ...] | None = None
    gradients: Mapping[str, Array] = field(default_factory=dict)
    written: tuple[int, ...] | None = None
    edits: tuple[Edit, ...] = ()
    memory: dict[str, Any] = field(default_factory=dict)
    """What has been worked out of the values, so as not to do so again."""

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors that were kept, in the order in which they were computed."""
        return tuple(self.values)

    @property
    def labels(self) -> Labels:
        """What stands along each dim that has names."""
        labels = dict.fromkeys(TOKEN_DIMS, self.tokens)
        return labels if self.vocabulary is None else {**labels, "vocab": self.vocabulary}

    @property
    def loss(self) -> float:
        """Mean loss over the targets, in nats.

        Raises:
            PellucidError: the run had no target.
        """
        self.need_target()
        return float(self.values["loss"])

    @property
    def grad(self) -> GradientView:
        """Derivatives of the loss by name: of every parameter, and every tensor on its path.

        Raises:
            PellucidError: the run had no target.
        """
        self.need_target()
        return GradientView(self)

    def explain(self, name: str, **cell: Place) -> Explanation:
        """How one number was made: its formula, its operands, and the value worked out again.

        Args:
            name: of a tensor, one of its intermediates, or a parameter; `"scores[am, i]"`, as a
                cell is printed or typed on the command line, will do for name and cell.
            **cell: a place along each dim, `query="am", key=1`: an index (negative from the end) or
                a label; dims of size 1 may be left out.

        Raises:
            PellucidError: there is no such cell, or a tensor that is needed was not kept.
        """
        name, places = self.locate(name, cell)
        return self.explainer.explain(name, places)

    def explain_grad(self, name: str, **cell: Place) -> Explanation:
        """Where the gradient of one number came from: the chain rule with its actual operands.

        Args:
            name: of a tensor on the way to the loss, or of a parameter.
            **cell: as in `explain`.

        Raises:
            PellucidError: the run had no target, or there is no such cell.
        """
        self.need_target()
        name, places = self.locate(name, cell)
        return self.explainer.explain_grad(name, places)

    def paths(
        self, name: str, *, top: int | None = 10, minus: Place | None = None, **cell: Place
    ) -> Paths:
        """What each component along the residual stream adds to one number, directly.

        Components are the embeddings, each head, each feed-forward network, and every bias and
        shift on the way. Norms keep the scale that they had in this run.

        Args:
            name: of the logits, or of another tensor that is a sum along the stream.
            top: how many components to show by themselves; None for all.
            minus: another place along the last dim, to split the difference of the two:
                `trace.paths("logits", position=-1, vocab="groot", minus="tree")`.
            **cell: as in `explain`.

        Raises:
            PellucidError: there is no such cell, the tensor is no sum along the stream, or a
                tensor that is needed was not kept.
        """
        from pellucid.trace.walk import find_paths

        name, places = self.locate(name, cell)
        return find_paths(self, name, places, top=top, minus=minus)

    def locate(self, name: str, cell: Mapping[str, Place]) -> tuple[str, Mapping[str, Place]]:
        """A tensor's name and places; the name may hold places itself, `scores[am, i]`.

        Raises:
            PellucidError: what stands in the brackets are no places.
        """
        if "[" not in name:
            return name, cell
        from pellucid.trace.typed_cell import place_in_order, read_cell

        name, places, bare = read_cell(name)
        return name, place_in_order(self.explainer.tensor(name), {**places, **cell}, bare)

    def check(self, *, all_cells: bool = False, cells: int = 8, seed: int = 0) -> Check:
        """Work cells out again, verify what must hold, and move parameters to see the loss follow.

        Args:
            all_cells: every cell of every tensor, for small models, instead of a sample.
            cells: how many cells of each tensor to sample.
            seed: of the sample.

        Returns:
            What was found: `.holds`, and `.first`, the first tensor that fails.
        """
        from pellucid.trace.check import check

        return check(self, all_cells=all_cells, cells=cells, seed=seed)

    def figure(
        self,
        name: str,
        *,
        theme: str = "light",
        size: str = "page",
        ax: Axes | None = None,
        **at: Place,
    ) -> Figure:
        """Draw one tensor: `trace.figure("blocks.0.attn.pattern", head=0)`.

        Args:
            name: of the tensor, or of a parameter.
            theme, size, ax, **at: as in `TracedTensor.figure`.

        Raises:
            PellucidError: there is no such tensor or no such place, or it was not kept.
        """
        return self[name].figure(theme=theme, size=size, ax=ax, **at)

    def save(self, path: str | Path, *, names: Iterable[str] | None = None) -> Path:
        """Write one safetensors file: tensors, gradients, tokens and config, without the weights.

        Args:
            path: of the file; it is whole before it takes this name.
            names: the tensors to store, with their gradients (a parameter's name: its gradient);
                everything unless given. The loss always stays.

        Returns:
            The path.

        Raises:
            PellucidError: a name is not in this trace, or the file cannot be written.
        """
        from pellucid.trace.store import save

        return save(self, path, names=names)

    @classmethod
    def load(cls, path: str | Path, *, model: HasParameters | None = None) -> Trace:
        """A trace from its file; each tensor is read when it is first asked for.

        Args:
            path: of a file that `save` wrote.
            model: the one that made the trace, for what needs its parameters, as explanations do.

        Raises:
            PellucidError: the file is missing, damaged, no trace, or of an unknown format; or the
                model is another one.
        """
        from pellucid.trace.store import load

        return load(path, model=model)

    def explorer(self, path: str | Path | None = None, *, title: str = "a model") -> Page:
        """A page in which every number answers: shown in a notebook, saved where a path is given.

        It needs no network. `Model.explorer` makes one in which other texts can be typed too.

        Raises:
            PellucidError: the file cannot be written, the trace lacks tensors or its model, it is
                too large for a page, or this installation has no page.
        """
        page = to_page(self, title=title)
        if path is not None:
            page.save(path)
        return page

    def to_xarray(self) -> Dataset:
        """Every tensor as a variable of an `xarray.Dataset`, with dims and labels.

        Raises:
            PellucidError: xarray is not installed.
        """
        from pellucid.trace.labelled import dataset_of

        return dataset_of(self)

    def to_pandas(self) -> DataFrame:
        """A table of pandas with a row for each tensor: what it is, and how its numbers spread.

        Raises:
            PellucidError: pandas is not installed.
        """
        from pellucid.trace.labelled import summary_of

        return summary_of(self)

    @property
    def explainer(self) -> Explainer:
        """Explains the cells of this trace, and remembers those it has explained."""
        if "explainer" not in self.memory:
            from pellucid.trace.explain import Explainer

            self.memory["explainer"] = Explainer(self)
        explainer: Explainer = self.memory["explainer"]
        return explainer

    def need_target(self) -> None:
        if self.targets is None:
            raise PellucidError(
                "This trace has no loss and no gradients: "
                'trace with a target, such as target="next".'
            )

    def __getitem__(self, name: str) -> TracedTensor:
        """The tensor of that name, or of which it is an alias; parameters too.

        Raises:
            PellucidError: there is none (near names are offered), or it was not kept.
        """
        own = self.resolve(name)
        if own in self.parameters:
            return self.parameters[own]
        if own not in self.values:
            if own.startswith("loss"):
                self.need_target()
            raise PellucidError(f"{own} was not kept in this trace: {how_to_keep(own)}.")
        return self.tensor(self.graph.facts[own], self.values[own])

    def __contains__(self, name: object) -> bool:
        own = self.graph.find(name)
        return own in self.values or own in self.parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy make a copy from: all but what was worked out of it."""
        names = [each.name for each in fields(self) if each.name != "memory"]
        return restored, ({name: getattr(self, name) for name in names},)

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)

    def resolve(self, name: str) -> str:
        """The one name of a tensor or parameter, given it, an alias, or another program's name.

        Raises:
            PellucidError: as `Graph.resolve`.
        """
        return self.graph.resolve(name, or_parameter=True)

    def tensor(self, fact: Fact, values: Array) -> TracedTensor:
        labels = {dim: names for dim, names in self.labels.items() if dim in fact.dims}
        first = f"{fact.name}.{UNEDITED}"
        made = first if first in self.graph.owners else fact.name
        cached = self.graph.owners[made].op.kind == "remember"
        return TracedTensor(
            name=fact.name,
            values=values,
            dims=fact.dims,
            labels=labels,
            title=fact.title,
            equation=fact.equation,
            written=self.written if cached else None,
            latex=fact.latex,
        )


def restored(parts: Mapping[str, Any]) -> Trace:
    """A trace from copies of its parts: NumPy's own copies could be written to."""
    for tensors in (parts["values"], parts["gradients"]):
        if isinstance(tensors, dict):
            for array in tensors.values():
                lock(array)
    return Trace(**parts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GradientView(Mapping[str, TracedTensor]):
    """The gradients of a trace by name, each of the shape of what it belongs to."""

    trace: Trace

    def __getitem__(self, name: str) -> TracedTensor:
        trace = self.trace
        own = trace.resolve(name)
        if own not in trace.gradients:
            raise PellucidError(f"There is no gradient of {own}: {why_not(trace, own)}.")
        values = trace.gradients[own]
        of = (
            trace.parameters.tensor(own, values)
            if own in trace.parameters
            else trace.tensor(trace.graph.facts[own], values)
        )
        return TracedTensor(
            name=f"d loss / d {own}",
            values=values,
            dims=of.dims,
            labels=of.labels,
            title=f"Gradient of {of.title[0].lower()}{of.title[1:]}",
            equation="",
        )

    def __contains__(self, name: object) -> bool:
        return self.trace.graph.find(name) in self.trace.gradients

    def __iter__(self) -> Iterator[str]:
        return iter(self.trace.gradients)

    def __len__(self) -> int:
        return len(self.trace.gradients)

    def __repr__(self) -> str:
        return f"<{len(self)} gradients: {', '.join(self)}>"


def why_not(trace: Trace, name: str) -> str:
    """Why a tensor or parameter has no gradient in a trace with a target."""
    if name in trace.parameters:
        return f"it was not stored: {how_to_keep(name)}"
    step = trace.graph.owners[name]
    if step not in trace.graph.needed_for(frozenset({"loss"})):
        return "it is not on the way to the loss"
    if name != step.name:
        return (
            f"it is an intermediate of {step.name}, and only outputs and parameters have "
            f"gradients. Ask for that of {step.name}"
        )
    return f"it was not kept: {how_to_keep(name)}"


def how_to_keep(name: str) -> str:
    """What to do about a tensor that was not kept."""
    return f'ask for it with names=["{name}"], or leave names out to keep everything'
