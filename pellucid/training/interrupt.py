"""Ctrl-C as a wish rather than an accident: what is being done is done to its end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether Ctrl-C has been pressed."""

    def __init__(self) -> None:
        self.wished = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take note; pressed a second time it interrupts at once, as it does elsewhere."""
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Have Ctrl-C take note instead of interrupting, until the block ends.

    Signals go to the main thread alone, and whoever has a handler of their own keeps it.
    """
    interrupt = Interrupt()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
