"""Results as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from benchmarks.comparison import Comparison, Report

INTRODUCTION = """\
# Results

Written by `make bench`. Every comparison is of one run on one machine: the contestants took turns,
and ours and theirs are medians over the repeats. In brackets after a result are the smallest and
the largest of the single turns. What was checked before the timing stands below the table.
"""
VERDICTS = {True: "yes", False: "**no**", None: "–"}
HEADER = (
    "| what | yardstick | ours | theirs | result | target | held |\n"
    "| --- | --- | ---: | ---: | --- | --- | --- |"
)


def page(facts: Mapping[str, str], reports: Mapping[str, Report]) -> str:
    """The whole file."""
    parts = [
        INTRODUCTION,
        "\n".join(f"- {title}: {fact}" for title, fact in facts.items()) + "\n",
        table(reports) + "\n",
        "Checked first:\n",
        "\n".join(f"- {check}" for report in reports.values() for check in report.checks) + "\n",
    ]
    notes = [note for report in reports.values() for note in report.notes]
    return "\n".join([*parts, *(f"{note}\n" for note in notes)])


def table(reports: Mapping[str, Report]) -> str:
    """A line per comparison."""
    lines = [line(each) for report in reports.values() for each in report.comparisons]
    return "\n".join([HEADER, *lines])


def line(comparison: Comparison) -> str:
    """A comparison as a row of the table."""
    cells = (
        comparison.what,
        comparison.yardstick,
        duration(median(comparison.ours)),
        duration(median(comparison.theirs)),
        comparison.result,
        comparison.target or "–",
        VERDICTS[comparison.held],
    )
    return "| " + " | ".join(cells) + " |"


def duration(seconds: float) -> str:
    """Seconds with a unit, three digits."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
