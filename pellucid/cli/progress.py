"""Progress bars for what takes seconds, on a terminal; nothing where there is none."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from pellucid.training.history import Epoch


class TrainingBar:
    """Appears with the first epoch and is gone after the last, so that nothing prints around it.

    It stands on standard error: what is printed stays clean when it is sent elsewhere.
    """

    def __init__(self, epochs: int, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self.progress = Progress(
            TextColumn("Training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("epochs, loss {task.fields[loss]:.4f} nats"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.epochs = epochs
        self.task = self.progress.add_task("Training", total=epochs, loss=0.0)

    def update(self, epoch: Epoch) -> None:
        """Move on to the end of `epoch`, numbered from 1."""
        self.progress.update(self.task, completed=epoch.number, loss=epoch.loss)
        if epoch.number == 1:
            self.progress.start()
        if epoch.number == self.epochs:
            self.progress.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # An interruption must not leave the terminal without its cursor.
        self.progress.stop()


class CountBar:
    """Counts something that is done one by one; appears with the first, and is gone at the end."""

    def __init__(self, what: str, noun: str, console: Console | None = None) -> None:
        """Take what is being done, "Drawing", and what is counted, "steps"."""
        console = console or Console(stderr=True)
        self.progress = Progress(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(noun),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.progress.add_task(what, total=None)

    def update(self, done: int, total: int) -> None:
        """So many are done, of so many."""
        self.progress.start()
        self.progress.update(self.task, completed=done, total=total)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # An interruption must not leave the terminal without its cursor.
        self.progress.stop()
