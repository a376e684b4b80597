"""The runs of a server: one at a time, unwanted ones stopped, the same not twice, old ones gone."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from threading import Event, Lock, Semaphore
from typing import TYPE_CHECKING

import msgspec

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.ops.operation import count as numbers
from pellucid.serve.limits import Limits
from pellucid.serve.questions import RunQuestion, Target
from pellucid.serve.stopping import StoppedError, stoppable
from pellucid.trace.edits import Edit
from pellucid.trace.trace import Trace

if TYPE_CHECKING:
    from pellucid.training.film import Film

BESIDE = 2**11
"""Bytes of Python's own for each tensor of a run, rounded up from what was measured."""
WRITTEN = 32
"""Bytes that a byte of written edits takes when it is read: "1," becomes a number of Python's."""
LOOK = 0.05
"""Seconds between two looks whether a run that waits is still wanted."""


class BusyError(Exception):
    """More runs wait than the server takes on."""


class GoneError(Exception):
    """The run is no longer kept."""


@dataclass(frozen=True)
class Kept:
    """A run that can be looked at."""

    number: int
    trace: Trace
    size: int
    """Bytes, without its weights."""
    weights: Mapping[int, int]
    """Bytes of each array of weights that is not the model's own, by its identity."""
    edits: bytes
    target: Target = None
    film_step: int | None = None

    def answers(self, ids: Sequence[int], question: RunQuestion) -> bool:
        """Whether a question would make this run again; it may have gradients for nothing."""
        same = self.trace.ids == tuple(ids) and self.edits == written(question.edits)
        same = same and self.film_step == question.film_step
        return same and question.target in (None, self.target)


class Runs:
    """Makes runs and keeps the last ones; its methods may be called from several threads."""

    def __init__(
        self, model: Model, limits: Limits, first: Trace | None = None, film: Film | None = None
    ) -> None:
        """
        Args:
            model: what is run.
            limits: how much of it at a time.
            first: a run without edits that there is already: the one that a page opens with.
            film: of the model's training, whose steps can be run as well.
        """
        self.model = model
        self.limits = limits
        self.film = film
        self.filmed = lru_cache(limits.filmed)(self.model_after)
        # Another server under the same address never means one of its own runs by a number of ours.
        self.began = secrets.randbelow(2**52)
        self.numbers = count(self.began + 1)
        self.kept: OrderedDict[int, Kept] = OrderedDict()
        self.latest: dict[str, Event] = {}
        self.ended = False
        self.lock = Lock()
        self.turns = Semaphore(limits.running)
        self.places = Semaphore(limits.running + limits.waiting)
        if first is not None:
            self.keep(first)

    def make(self, question: RunQuestion, stop: Event | None = None) -> Kept:
        """Run a text, or find it. A run that its page has asked for before is stopped.

        Args:
            question: what to run.
            stop: ends the run when it is set.

        Raises:
            PellucidError: the text or an edit cannot be used.
            StoppedError: the page has asked for another run since, or nobody wants this one.
            BusyError: too many runs wait.
        """
        stop = stop or Event()
        self.supersede(question.page, stop)
        ids = question.ids if question.ids is not None else self.ids_of(question.text)
        if found := self.same(ids, question):
            return found
        self.check(ids, question)
        with self.turn(stop):
            # Another page may have asked for the same meanwhile.
            if found := self.same(ids, question):
                return found
            model = stoppable(self.filmed(question.film_step), stop)
            trace = model.trace(ids=ids, target=question.target, edits=question.edits)
        return self.keep(trace, question.edits, question.target, question.film_step)

    def model_after(self, film_step: int | None) -> Model:
        """The model as it was after a step of its training; as it is for None.

        Raises:
            PellucidError: there is no film, or it has no such step.
        """
        if film_step is None:
            return self.model
        if self.film is None:
            raise PellucidError(f"This server has no film, and no step {film_step} of a training.")
        return self.film.model(film_step)

    def same(self, ids: tuple[int, ...], question: RunQuestion) -> Kept | None:
        """A run that is kept and answers a question."""
        with self.lock:
            for number, kept in reversed(self.kept.items()):
                if kept.answers(ids, question):
                    self.kept.move_to_end(number)
                    return kept
        return None

    def check(self, ids: tuple[int, ...], question: RunQuestion) -> None:
        """Raise PellucidError for what is more than this server takes on."""
        limits = self.limits
        if len(ids) > limits.positions:
            raise PellucidError(
                f"{len(ids)} tokens are more than the {limits.positions} of this server."
            )
        if len(question.edits) > limits.edits:
            raise PellucidError(
                f"{len(question.edits)} edits are more than the {limits.edits} of this server."
            )
        size = self.size_of(len(ids), question)
        if size > limits.run:
            raise PellucidError(
                f"All tensors of {len(ids)} tokens take {size / 1e6:,.0f} MB, and this server has "
                f"{limits.run / 1e6:,.0f} MB for a run: give a shorter text."
            )

    def size_of(self, positions: int, question: RunQuestion) -> int:
        """Bytes of a run at most, an edit as a copy of its parameter, or of the largest tensor."""
        graph = self.model.graph
        sizes = {**graph.sizes, **dict.fromkeys(("position", "query", "key"), positions)}
        facts = [fact for node in graph.nodes for fact in (node.fact, *node.extras)]
        counts = [numbers(fact.dims, sizes) for fact in facts]
        weights = self.model.parameters
        edited = [getattr(edit, "name", "") for edit in question.edits]
        whole = sum(counts)
        whole += sum(weights[name].size if name in weights else max(counts) for name in edited)
        if question.target is not None:
            # There is a gradient of every tensor, and of every parameter.
            whole += sum(counts) + self.model.n_parameters
        beside = BESIDE * (2 * len(facts) + len(weights) + len(edited)) + WRITTEN * len(
            written(question.edits)
        )
        return whole * int(self.model.engine.dtype.itemsize) + beside

    def ids_of(self, text: str | None) -> tuple[int, ...]:
        """The ids of a prompt."""
        if text is None:
            raise PellucidError("There is neither a text nor ids.")
        if self.model.tokenizer is None:
            raise PellucidError("This model has no tokenizer: it reads ids, not text.")
        return tuple(self.model.tokenizer.prompt(text))

    def supersede(self, page: str, stop: Event) -> None:
        """Stop the run that a page has asked for before; `stop` is what stops its new one."""
        with self.lock:
            if self.ended:
                stop.set()
            before = self.latest.pop(page, None)
            self.latest[page] = stop
            # Pages come and go; of those that have gone nothing runs.
            while len(self.latest) > 8 * (self.limits.running + self.limits.waiting):
                self.latest.pop(next(iter(self.latest)))
        if before is not None:
            before.set()

    @contextmanager
    def turn(self, stop: Event) -> Iterator[None]:
        """Wait for one's turn, unless too many do; leave when nobody wants it any more."""
        if not self.places.acquire(blocking=False):
            raise BusyError
        try:
            while not self.turns.acquire(timeout=LOOK):
                if stop.is_set():
                    raise StoppedError
            try:
                if stop.is_set():
                    raise StoppedError
                yield
            finally:
                self.turns.release()
        finally:
            self.places.release()

    def keep(
        self,
        trace: Trace,
        edits: Sequence[Edit] = (),
        target: Target = None,
        film_step: int | None = None,
    ) -> Kept:
        """Remember a run, and forget the oldest where all of them are too large."""
        said = written(edits)
        arrays = (*trace.values.values(), *trace.gradients.values())
        size = sum(array.nbytes + BESIDE for array in arrays) + WRITTEN * len(said)
        weights = self.weights_of(trace)
        with self.lock:
            number = next(self.numbers)
            kept = Kept(number, trace, size, weights, said, target, film_step)
            self.kept[kept.number] = kept
            while len(self.kept) > 1 and self.size > self.limits.kept:
                self.kept.popitem(last=False)
        return kept

    @property
    def size(self) -> int:
        """Bytes of all that is kept; weights that several runs share are there once."""
        weights: dict[int, int] = {}
        for kept in self.kept.values():
            weights |= kept.weights
        return sum(kept.size for kept in self.kept.values()) + sum(weights.values())

    def weights_of(self, trace: Trace) -> dict[int, int]:
        """Bytes of a run's weights that are not the model's: edited ones, and a film's."""
        ours = self.model.parameters
        theirs = trace.parameters.arrays
        return {
            id(array): array.nbytes for name, array in theirs.items() if array is not ours[name]
        }

    def find(self, number: int) -> Trace:
        """A run that is kept.

        Raises:
            GoneError: it is not.
        """
        with self.lock:
            if number not in self.kept:
                raise GoneError
            self.kept.move_to_end(number)
            return self.kept[number].trace

    def stop(self) -> None:
        """Stop whatever runs or waits, and whatever is asked for from now on."""
        # Set first and without the lock: a signal may interrupt whoever holds it.
        self.ended = True
        for stop in tuple(self.latest.values()):
            stop.set()


def written(edits: Sequence[Edit]) -> bytes:
    """Edits in the form in which they are the same where they say the same."""
    return msgspec.json.encode(edits)
