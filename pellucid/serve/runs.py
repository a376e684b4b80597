"""The runs of a server: one at a time, those that nobody wants stopped, the oldest forgotten."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Event, Lock, Semaphore

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.serve.limits import Limits
from pellucid.serve.questions import RunQuestion
from pellucid.serve.stopping import StoppedError, stoppable
from pellucid.trace.trace import Trace


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


class Runs:
    """Makes runs and keeps the last ones; its methods may be called from several threads."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self.model = model
        self.limits = limits
        self.numbers = count(1)
        self.kept: OrderedDict[int, Kept] = OrderedDict()
        self.latest: dict[str, Event] = {}
        self.lock = Lock()
        self.turns = Semaphore(limits.running)
        self.places = Semaphore(limits.running + limits.waiting)

    def make(self, question: RunQuestion) -> Kept:
        """Run a text. A run that its page has asked for before is stopped.

        Raises:
            PellucidError: the text or an edit cannot be used.
            StoppedError: the page has asked for another run since.
            BusyError: too many runs wait.
        """
        stop = self.supersede(question.page)
        with self.turn():
            if stop.is_set():
                raise StoppedError
            trace = self.trace(question, stop)
        return self.keep(trace)

    def trace(self, question: RunQuestion, stop: Event) -> Trace:
        """Trace the text of a question."""
        ids = question.ids if question.ids is not None else self.ids_of(question.text)
        if len(ids) > self.limits.positions:
            raise PellucidError(
                f"{len(ids)} tokens are more than the {self.limits.positions} of this server."
            )
        if len(question.edits) > self.limits.edits:
            raise PellucidError(
                f"{len(question.edits)} edits are more than the {self.limits.edits} of this server."
            )
        model = stoppable(self.model, stop)
        return model.trace(ids=ids, target=question.target, edits=question.edits)

    def ids_of(self, text: str | None) -> tuple[int, ...]:
        """The ids of a prompt."""
        if text is None:
            raise PellucidError("There is neither a text nor ids.")
        if self.model.tokenizer is None:
            raise PellucidError("This model has no tokenizer: it reads ids, not text.")
        return tuple(self.model.tokenizer.prompt(text))

    def supersede(self, page: str) -> Event:
        """Stop the run that a page has asked for before; returns what stops its new one."""
        stop = Event()
        with self.lock:
            before = self.latest.pop(page, None)
            self.latest[page] = stop
            # Pages come and go; of those that have gone nothing runs.
            while len(self.latest) > 8 * (self.limits.running + self.limits.waiting):
                self.latest.pop(next(iter(self.latest)))
        if before is not None:
            before.set()
        return stop

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, unless too many do."""
        if not self.places.acquire(blocking=False):
            raise BusyError
        try:
            with self.turns:
                yield
        finally:
            self.places.release()

    def keep(self, trace: Trace) -> Kept:
        """Remember a run, and forget the oldest where all of them are too large."""
        size = sum(array.nbytes for array in (*trace.values.values(), *trace.gradients.values()))
        with self.lock:
            kept = Kept(next(self.numbers), trace, size)
            self.kept[kept.number] = kept
            while len(self.kept) > 1 and self.size > self.limits.kept:
                self.kept.popitem(last=False)
        return kept

    @property
    def size(self) -> int:
        """Bytes of all that is kept."""
        return sum(kept.size for kept in self.kept.values())

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
        """Stop whatever runs or waits."""
        with self.lock:
            for stop in self.latest.values():
                stop.set()
