"""Writing: work on files that goes on in a thread beside the training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

from pellucid.training.durable import telling


class Writing:
    """Something that is being written; an error waits until somebody asks for it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work
        self.error: Exception | None = None
        self.thread = Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        """Do the work."""
        try:
            self.work()
        except Exception as error:
            self.error = error

    @property
    def is_done(self) -> bool:
        return not self.thread.is_alive()

    def finish(self, folder: Path) -> None:
        """Wait until it is done.

        Raises:
            PellucidError: the system did not let it write into `folder`.
        """
        self.thread.join()
        with telling(folder):
            if self.error is not None:
                raise self.error
