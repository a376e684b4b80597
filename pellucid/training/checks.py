"""Checks of single settings, with the words of their errors."""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import inf
from typing import Any

from pellucid.errors import PellucidError, did_you_mean

Fits = Callable[[float], bool]


def check_count(name: str, value: Any, least: int) -> None:
    """Raise `PellucidError` for what is no whole number, or one below `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise PellucidError(f"{name}={value!r} must be a whole number, at least {least}.")


def check_word(name: str, value: Any, known: Collection[str]) -> None:
    """Raise `PellucidError` for a word that is none of those known."""
    if value not in known:
        near = did_you_mean(str(value), known)
        raise PellucidError(f"{name}={value!r} is not one of {', '.join(known)}.{near}")


def check_number(name: str, value: Any, fits: Fits, needed: str) -> None:
    """Raise `PellucidError` for what is no number, or one that does not fit."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not fits(value):
        raise PellucidError(f"{name}={value!r} must be a number {needed}.")


def positive(value: float) -> bool:
    """Whether a number is above 0 and finite."""
    return 0 < value < inf


def not_negative(value: float) -> bool:
    """Whether a number is 0 or above, and finite."""
    return 0 <= value < inf


def share(value: float) -> bool:
    """Whether a number is at least 0 and below 1."""
    return 0 <= value < 1
