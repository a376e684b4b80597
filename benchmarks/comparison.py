"""Comparison: one line of the results, and the seconds that it stands on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Seconds = Sequence[float]


@dataclass(frozen=True)
class Comparison:
    """What was compared with which yardstick, what came out, and what was to come out.

    `ours` and `theirs` are seconds, one per repeat; repeats of both took turns. `result` and
    `target` are in the words of the table; `held` is None where nothing is promised.
    """

    what: str
    yardstick: str
    ours: Seconds
    theirs: Seconds
    result: str
    target: str
    held: bool | None


@dataclass(frozen=True)
class Report:
    """A benchmark's comparisons, and what was checked before anything was timed."""

    checks: Sequence[str]
    comparisons: Sequence[Comparison]
    notes: Sequence[str] = ()


def times_faster(
    what: str, yardstick: str, ours: Seconds, theirs: Seconds, *, at_least: float | None
) -> Comparison:
    """How many times faster ours is: median of theirs / median of ours."""
    ratio = median(theirs) / median(ours)
    pairs = [their / our for our, their in zip(ours, theirs, strict=True)]
    result = f"{ratio:.2f}× faster ({min(pairs):.2f} to {max(pairs):.2f})"
    if at_least is None:
        return Comparison(what, yardstick, ours, theirs, result, "", None)
    target = f"≥ {at_least:g}×"
    return Comparison(what, yardstick, ours, theirs, result, target, ratio >= at_least)


def share_of_time(
    what: str, yardstick: str, ours: Seconds, theirs: Seconds, *, at_most: float
) -> Comparison:
    """How much of the yardstick's time ours takes: median of ours / median of theirs."""
    ratio = median(ours) / median(theirs)
    pairs = [our / their for our, their in zip(ours, theirs, strict=True)]
    result = f"{ratio:.2f} of its time ({min(pairs):.2f} to {max(pairs):.2f})"
    return Comparison(what, yardstick, ours, theirs, result, f"≤ {at_most:g}", ratio <= at_most)


def seconds_beyond(
    what: str, yardstick: str, ours: Seconds, theirs: Seconds, *, at_most: float
) -> Comparison:
    """How many seconds longer than the yardstick ours takes: the difference of the medians."""
    beyond = median(ours) - median(theirs)
    pairs = [our - their for our, their in zip(ours, theirs, strict=True)]
    result = f"{beyond:.3f} s beyond ({min(pairs):.3f} to {max(pairs):.3f})"
    return Comparison(what, yardstick, ours, theirs, result, f"≤ {at_most:g} s", beyond <= at_most)


def within(what: str, ours: Seconds, *, at_most: float) -> Comparison:
    """Whether somebody waits no longer than was promised: the median of ours."""
    result = f"{median(ours):.3f} s ({min(ours):.3f} to {max(ours):.3f})"
    limit, held = [at_most], median(ours) <= at_most
    return Comparison(what, "what was promised", ours, limit, result, f"≤ {at_most:g} s", held)


def take_turns(
    contestants: Mapping[str, Callable[[], object]], *, repeats: int
) -> dict[str, list[float]]:
    """Time each contestant `repeats` times, one after the other in turn, after one warm-up each.

    Taking turns, what else the machine does falls on all of them alike.

    Returns:
        Wall-clock seconds of every repeat by contestant.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for run in contestants.values():
        run()
    for _ in range(repeats):
        for name, run in contestants.items():
            start = perf_counter()
            run()
            seconds[name].append(perf_counter() - start)
    return seconds


def require(truth: bool, claim: str) -> str:
    """Return the claim if it is true; a comparison of things that differ is worth nothing.

    Raises:
        SystemExit: it is not.
    """
    if not truth:
        raise SystemExit(f"benchmarks: not so, and therefore nothing was timed: {claim}")
    return claim
