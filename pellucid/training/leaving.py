"""Leaving: how a process that trained together with others ends."""

from __future__ import annotations

import os
import sys
from threading import enumerate as threads_that_run
from threading import main_thread


def leave(code: int) -> None:
    """End this process when its threads have, without taking Python down.

    What is left of connections to other ranks may abort Python as it ends, and torchrun would call
    a training failed that was not. A program of one's own that trains under torchrun does well to
    end with it, as `python -m pellucid` does.

    Args:
        code: the exit code.
    """
    for thread in threads_that_run():
        if thread is not main_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
