"""Spans of time in words."""

from __future__ import annotations

from math import isfinite


def duration(seconds: float) -> str:
    """About how long: "9 s", "2 min 5 s", "3 h 20 min", "5 d 7 h"; "?" where nobody knows."""
    if not isfinite(seconds):
        return "?"
    whole = round(seconds)
    for unit, size, below, part in (
        ("d", 86_400, "h", 3_600),
        ("h", 3_600, "min", 60),
        ("min", 60, "s", 1),
    ):
        if whole >= size:
            count, rest = divmod(whole, size)
            return f"{count} {unit} {rest // part} {below}" if rest >= part else f"{count} {unit}"
    return f"{whole} s"
