"""Ctrl-C as a wish rather than an accident: what is being done is done to its end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupt:
    """Whether Ctrl-C has been pressed, or the process has been asked to end."""

    def __init__(self) -> None:
        self.wished = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take note; pressed a second time it interrupts at once, as it does elsewhere.

        To be asked to end means no more the second time: torchrun and Slurm may both ask.
        """
        if self.wished and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.wished = True


@contextmanager
def interruptible(*, termination: bool = False) -> Iterator[Interrupt]:
    """Have Ctrl-C take note instead of interrupting, until the block ends.

    With `termination` the signal by which torchrun and Slurm end their processes does so too.
    Signals go to the main thread alone, and whoever has a handler of their own keeps it.
    """
    interrupt = Interrupt()
    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler}
    if termination:
        usual[signal.SIGTERM] = signal.SIG_DFL
    if threading.current_thread() is not threading.main_thread():
        usual = {}
    ours = {
        number: handler for number, handler in usual.items() if signal.getsignal(number) is handler
    }
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield interrupt
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
