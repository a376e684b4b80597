"""How long a user waits before anything happens: `import pellucid` and `pellucid --help`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.comparison import Report, require, seconds_beyond, take_turns

REPEATS = 15
PYTHON = (sys.executable, "-c", "pass")
IMPORT = (sys.executable, "-c", "import pellucid")
HELP = (str(Path(sys.executable).with_name("pellucid")), "--help")


def run() -> Report:
    """Check that both start well and load nothing heavy, then time whole processes in turn."""
    heavy = "import pellucid, sys; print('numpy' in sys.modules)"
    checks = [
        require(
            start((sys.executable, "-c", heavy)).strip() == "False",
            "`import pellucid` does not load NumPy",
        ),
        require("tour" in start(HELP), "`pellucid --help` lists the commands"),
    ]
    contestants: dict[str, Callable[[], object]] = {
        "python": partial(start, PYTHON),
        "import": partial(start, IMPORT),
        "help": partial(start, HELP),
    }
    seconds = take_turns(contestants, repeats=REPEATS)
    bare, yardstick = seconds["python"], "Python's own start"
    comparisons = [
        seconds_beyond("`import pellucid`", yardstick, seconds["import"], bare, at_most=0.05),
        seconds_beyond("`pellucid --help`", yardstick, seconds["help"], bare, at_most=0.25),
    ]
    return Report(checks, comparisons)


def start(command: tuple[str, ...]) -> str:
    """Run a whole process and return what it printed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
