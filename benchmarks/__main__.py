"""`python -m benchmarks [NAME …]`: run all of them and write RESULTS.md, or some and print them."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from benchmarks import machine, report
from benchmarks.comparison import Report

NAMES = (
    "start",
    "training",
    "nano",
    "torch_training",
    "linear",
    "forward",
    "decoding",
    "smollm2",
    "store",
    "explain",
    "patching",
    "explorer",
)
RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    """Read the names, run their benchmarks, print the page, and keep it where all have run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=(*NAMES, []), metavar="NAME", help=str(NAMES))
    names = parser.parse_args().names
    start_again_unslowed()
    facts = machine.describe()
    reports = {name: run(name) for name in names or NAMES}
    page = report.page(facts, reports)
    print(page)
    if not names:
        RESULTS.write_text(page, encoding="utf-8")
        print(f"Written to {RESULTS.parent.name}/{RESULTS.name}.")


def start_again_unslowed() -> None:
    """Start this program again without the variables that hold NumPy's BLAS back, if any is set."""
    if any(name in os.environ for name in machine.SLOWING):
        environment = {k: v for k, v in os.environ.items() if k not in machine.SLOWING}
        again = [sys.executable, "-m", "benchmarks", *sys.argv[1:]]
        os.execve(sys.executable, again, environment)


def run(name: str) -> Report:
    """Run one benchmark; what it imports loads now."""
    print(f"{name} …", file=sys.stderr, flush=True)
    found: Report = import_module(f"benchmarks.{name}").run()
    return found


if __name__ == "__main__":
    main()
