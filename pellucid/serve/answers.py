"""What a page asks of a model, answered: the same by HTTP and in a notebook. Knows no transport."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pellucid.errors import PellucidError
from pellucid.serve.glimpse import glimpse
from pellucid.serve.questions import (
    At,
    ExplainQuestion,
    GlimpseQuestion,
    RunQuestion,
    TensorQuestion,
)
from pellucid.serve.runs import BusyError, GoneError, Kept, Runs
from pellucid.serve.stopping import StoppedError
from pellucid.trace.cell import check_dims, find_place
from pellucid.trace.tensor import TracedTensor

PIECE = 2**18
"""Numbers of a tensor that are sent at a time: so many are copied, however large it is."""
MOST_SAID = 2000
"""Characters of a refusal; it may quote what was asked, and that may be a whole book."""
BAD_REQUEST = 400
REFUSALS: dict[type[Exception], tuple[int, str]] = {
    BusyError: (503, "Too many runs wait: try again in a moment."),
    GoneError: (410, "This run is no longer kept: run the text again."),
    StoppedError: (409, "Another run has taken the place of this one."),
}


class RefusedError(Exception):
    """A question is not answered: why in words, and as a status of HTTP."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


@dataclass(frozen=True)
class Answer:
    """JSON, or a tensor's numbers as float32, little endian: `size` bytes, piece by piece."""

    pieces: Iterator[bytes]
    size: int
    is_json: bool


class Answers:
    """Answers what the pages of one model ask; may be called from several threads."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.by_kind: Mapping[str, tuple[type[Any], Callable[[Any, Event], Answer]]] = {
            "run": (RunQuestion, self.run),
            "tensor": (TensorQuestion, self.tensor),
            "glimpse": (GlimpseQuestion, self.glimpse),
            "explain": (ExplainQuestion, self.explain),
        }

    def answer(self, kind: str, asked: bytes, stop: Event) -> Answer:
        """The answer to a question.

        Args:
            kind: one of `by_kind`.
            asked: the question as JSON.
            stop: whoever asks sets it when the answer is no longer wanted.

        Raises:
            RefusedError: it cannot be answered.
        """
        form, answer = self.by_kind[kind]
        try:
            return answer(msgspec.json.decode(asked, type=form), stop)
        except tuple(REFUSALS) as error:
            raise RefusedError(*REFUSALS[type(error)]) from error
        except (PellucidError, msgspec.MsgspecError, MemoryError, RecursionError) as error:
            raise RefusedError(BAD_REQUEST, str(error)[:MOST_SAID]) from error

    def run(self, question: RunQuestion, stop: Event) -> Answer:
        """What a page needs to know of a run before it looks at its tensors."""
        about = about_run(self.runs.make(question, stop))
        return in_json({"server": self.runs.began, **about})

    def tensor(self, question: TensorQuestion, stop: Event) -> Answer:
        """A tensor's numbers."""
        values, _ = self.part(question)
        return Answer(pieces(values), 4 * values.size, is_json=False)

    def glimpse(self, question: GlimpseQuestion, stop: Event) -> Answer:
        """How far a tensor's numbers reach, and a picture of them: see `glimpse`."""
        values, dims = self.part(question)
        seen = glimpse(values, [question.most.get(dim) for dim in dims])
        return Answer(pieces(seen), 4 * seen.size, is_json=False)

    def part(self, question: TensorQuestion) -> tuple[NDArray[Any], list[str]]:
        """What a question about a tensor is about, and its dims."""
        trace = self.runs.find(question.run)
        if question.kind == "gradient":
            tensor = trace.grad[question.name]
        else:
            tensor = trace.explainer.tensor(question.name)
        index = index_of(tensor, question.at)
        kept = [dim for dim in tensor.dims if not isinstance(question.at.get(dim), int)]
        return tensor.values[index], kept

    def explain(self, question: ExplainQuestion, stop: Event) -> Answer:
        """How a number was made."""
        trace = self.runs.find(question.run)
        tensor = trace.explainer.tensor(question.name)
        if len(question.index) != len(tensor.dims):
            raise PellucidError(f"{tensor.name} has the dims {', '.join(tensor.dims)}.")
        cell = dict(zip(tensor.dims, question.index, strict=True))
        ask = trace.explain_grad if question.kind == "gradient" else trace.explain
        limit = max(0, min(question.limit, self.runs.limits.terms))
        return in_json(ask(tensor.name, **cell).to_dict(limit))


def index_of(tensor: TracedTensor, at: At) -> tuple[int | slice, ...]:
    """What NumPy takes for places of a tensor.

    Raises:
        PellucidError: there is no such dim, or no such place along it.
    """
    check_dims(tensor, at)
    found: dict[str, int | slice] = dict.fromkeys(tensor.dims, slice(None))
    for dim, size in zip(tensor.dims, tensor.shape, strict=True):
        match at.get(dim):
            case (start, stop) if 0 <= start <= stop <= size:
                found[dim] = slice(start, stop)
            case (start, stop):
                raise PellucidError(
                    f"{dim} {start} to {stop} is out of range: "
                    f"{tensor.name} has {dim} 0 to {size - 1}."
                )
            case int(place):
                found[dim] = find_place(tensor, dim, size, {dim: place})
    return tuple(found.values())


def about_run(kept: Kept) -> dict[str, Any]:
    """A run by its number, its tokens, and the shapes of all that can be looked at.

    `server` tells a page whether it still talks to the one that it began with.
    """
    trace = kept.trace
    shapes = {name: trace[name].shape for name in (*trace.names, *trace.parameters)}
    return {
        "run": kept.number,
        "ids": trace.ids,
        "tokens": trace.tokens,
        "shapes": {**shapes, "ids": [len(trace.ids)], "positions": [len(trace.ids)]},
        "targets": trace.targets,
    }


def pieces(values: NDArray[Any]) -> Iterator[bytes]:
    """An array row by row as float32, little endian, without a copy of the whole."""
    if values.size <= PIECE or values.ndim == 0:
        yield np.asarray(values, dtype="<f4").tobytes()
        return
    step = max(1, PIECE * len(values) // values.size)
    for start in range(0, len(values), step):
        yield np.asarray(values[start : start + step], dtype="<f4").tobytes()


def in_json(data: Any) -> Answer:
    """Data as JSON."""
    written = msgspec.json.encode(data)
    return Answer(iter([written]), len(written), is_json=True)
