"""FilmTrace: what a model made of one text at every step of a film, with a dim `step`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import FlatParameters
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError
from pellucid.model import inputs
from pellucid.ops.operation import Array
from pellucid.showing import to_animation, to_html, to_text
from pellucid.trace.budget import names_to_keep, sizes_of, tensor_bytes
from pellucid.trace.memory import SMALL, heaviest, in_bytes, require_memory, spare_memory
from pellucid.trace.tensor import Labels, TracedTensor, lock
from pellucid.trace.trace import TOKEN_DIMS

if TYPE_CHECKING:
    from pathlib import Path

    from pellucid.training.film import Film

STEP = "step"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FilmTrace:
    """Tensors by name, `watched["blocks.0.attn.pattern"]`: [step, *dims]. It never changes.

    Places along `step` bear the numbers of the steps: `step="250"`, or an index.
    """

    film: Film
    graph: Graph
    places: tuple[int, ...]
    """Which places of the film."""
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    vocabulary: tuple[str, ...] | None
    values: Mapping[str, Array]

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors that were kept, in the order in which they are computed."""
        return tuple(self.values)

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps, in order."""
        return tuple(self.film.steps[place] for place in self.places)

    @property
    def labels(self) -> Labels:
        """What stands along each dim that has names."""
        labels = {STEP: tuple(map(str, self.steps)), **dict.fromkeys(TOKEN_DIMS, self.tokens)}
        return labels if self.vocabulary is None else {**labels, "vocab": self.vocabulary}

    def animate(
        self,
        path: str | Path,
        *,
        block: int = 0,
        head: int = 0,
        theme: str = "light",
        frames: int = 60,
        per_second: int = 10,
        on_frame: Callable[[int, int], object] | None = None,
    ) -> Path:
        """Write it as an animation: embeddings, a pattern, the next token, and the loss.

        Args:
            path: ends with .gif, or .mp4 where ffmpeg is installed.
            block, head: whose pattern.
            theme: "light" or "dark".
            frames: at most so many steps are drawn, evenly spread.
            per_second: how many steps are shown in a second.
            on_frame: told how many are drawn, of how many.

        Returns:
            The path.

        Raises:
            PellucidError: the model has no such block or head, a tensor that is needed was not
                kept, or the file cannot be written.
        """
        return to_animation(
            self,
            path,
            block=block,
            head=head,
            theme=theme,
            frames=frames,
            per_second=per_second,
            on_frame=on_frame,
        )

    def __getitem__(self, name: str) -> TracedTensor:
        """The tensor of that name, or of which it is an alias; parameters too.

        Raises:
            PellucidError: there is none (near names are offered), or it was not kept.
        """
        own = self.graph.resolve(name, or_parameter=True)
        if own in self.film.frames.arrays:
            return self.parameter(own)
        if own not in self.values:
            raise PellucidError(f"{own} was not kept in this film: ask for it with names=.")
        fact = self.graph.facts[own]
        labels = {dim: names for dim, names in self.labels.items() if dim in (STEP, *fact.dims)}
        return TracedTensor(
            name=own,
            values=self.values[own],
            dims=(STEP, *fact.dims),
            labels=labels,
            title=fact.title,
            equation=fact.equation,
            latex=fact.latex,
        )

    def parameter(self, name: str) -> TracedTensor:
        """A parameter [step, *dims], with no less than 32 bits to a number."""
        kept = self.film.frames.arrays[name]
        values = np.array(kept[list(self.places)], np.result_type(kept.dtype, np.float32))
        known = self.film.model(self.steps[0]).parameter(name)
        labels = {STEP: self.labels[STEP], **known.labels}
        return replace(known, values=lock(values), dims=(STEP, *known.dims), labels=labels)

    def __contains__(self, name: object) -> bool:
        own = self.graph.find(name)
        return own in self.values or own in self.film.frames.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def trace_film(
    film: Film,
    places: Sequence[int],
    *,
    prompt: str | None,
    ids: Sequence[int] | None,
    names: Iterable[str] | None,
    memory: float | None,
) -> FilmTrace:
    """Run every model of these places over one text; arguments and errors as `Film.trace`."""
    if not places:
        raise PellucidError("A film of no steps shows nothing: name at least one.")
    model = film.model(film.steps[places[0]])
    text = inputs.read_prompt(model, prompt, ids)
    parameters = film.frames.arrays
    wanted = None if names is None else [name for name in names if name not in parameters]
    kept = names_to_keep(model.graph, wanted, target=False)
    require_memory(model.graph, len(text), model.dtype, kept, gradients=False, memory=memory)
    sizes = sizes_of(model.graph, len(text))
    weights = {name: tensor_bytes(model.graph, name, sizes, model.dtype) for name in kept}
    require_room(weights, len(places), memory)
    # One engine for all, whose parameters change beneath it as they do in a training.
    flat = FlatParameters.copy_of(model.parameters, model.specs)
    engine = NumpyEngine(model.graph, flat)
    given = {"ids": np.array([text], dtype=np.int64)}
    values: dict[str, Array] = {}
    for row, place in enumerate(places):
        for name, array in film.frames.at(place).items():
            flat[name][...] = array
        run = engine.forward(given, keep=kept, outputs=())
        for name in kept:
            if row == 0:
                values[name] = np.empty((len(places), *run[name].shape[1:]), run[name].dtype)
            values[name][row] = run[name][0]
    return FilmTrace(
        film=film,
        graph=model.graph,
        places=tuple(places),
        ids=tuple(text),
        tokens=model.labels(text),
        vocabulary=model.vocabulary,
        values={name: lock(array) for name, array in values.items()},
    )


def require_room(tensors: Mapping[str, int], steps: int, memory: float | None) -> None:
    """Refuse a film of so many bytes by name at each step that would not fit.

    Raises:
        PellucidError: it would not; the largest tensors are named, and what to do.
    """
    needed = steps * sum(tensors.values())
    limit = spare_memory() if memory is None and needed > SMALL else memory
    if limit is not None and needed > limit:
        raise PellucidError(
            f"All tensors of {steps} steps take {in_bytes(needed)} of memory, and only "
            f"{in_bytes(limit)} may be used. The largest at each step are {heaviest(tensors)}. "
            'Keep a part with names=["probs", …], fewer steps, or allow more with memory=….'
        )
