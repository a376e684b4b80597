"""`python -m pellucid`: the command line."""

import os
import sys
from threading import enumerate as threads_that_run
from threading import main_thread

from pellucid.cli.main import main
from pellucid.training.ranks import launched


def leave(code: int) -> None:
    """End this process when its threads have, without taking Python down.

    What is left of connections to other ranks may abort Python as it ends, and torchrun would call
    a training failed that was not.
    """
    for thread in threads_that_run():
        if thread is not main_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    ended_with = main()
    if launched().size > 1:
        leave(ended_with)
    sys.exit(ended_with)
