"""Numbers as data: one, or an array of them, as they stand in JSON."""

from __future__ import annotations

from math import inf, isfinite, prod
from typing import Any

import msgspec
import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array

SHUT = "-Infinity"
"""How −∞ is spelled in JSON."""
MOST_DIMS = 32
"""Far more than a tensor has, and fewer than NumPy refuses."""
MOST_LONG = 2**40
"""Beside a length of 0 any other fills the shape; NumPy refuses those near 2⁶³."""


class Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An array as data: its shape, and its numbers in the order in which they lie; −∞ as a word."""

    shape: tuple[int, ...]
    numbers: tuple[float | str, ...]

    def __post_init__(self) -> None:
        """Raise PellucidError for what JSON may hold and no array does."""
        for number in self.numbers:
            check_number(number)
        if len(self.shape) > MOST_DIMS:
            raise PellucidError(f"{len(self.shape)} dims are more than any tensor has.")
        if min(self.shape, default=0) < 0 or prod(self.shape) != len(self.numbers):
            raise PellucidError(f"{len(self.numbers)} numbers do not fill {list(self.shape)}.")
        if max(self.shape, default=0) > MOST_LONG:
            raise PellucidError(f"{list(self.shape)} is longer than any tensor.")

    @property
    def array(self) -> Array:
        flat = [-np.inf if number == SHUT else number for number in self.numbers]
        return np.array(flat, dtype=np.float64).reshape(self.shape)

    def __str__(self) -> str:
        return f"{' × '.join(map(str, self.shape))} numbers"


Value = float | str | Numbers
"""One number, −∞ as a word, or an array of numbers."""


def check_number(number: float | str) -> None:
    """Raise PellucidError for a word other than −∞, for NaN and for +∞."""
    if isinstance(number, str):
        if number != SHUT:
            raise PellucidError(f'"{number}" is no number; −∞ is written "{SHUT}".')
    elif not number < inf:
        raise PellucidError("A value is NaN or +∞: give finite numbers, or −∞.")


def check_value(value: Value) -> None:
    """The same for the one number that a value is; arrays have been checked when they were made."""
    if not isinstance(value, Numbers):
        check_number(value)


def read_finite(number: float) -> float:
    """A finite number."""
    try:
        value = float(number)
    except (TypeError, ValueError):
        raise PellucidError(f"{number!r} is no number.") from None
    if not isfinite(value):
        raise PellucidError(f"The factor is {value}: give a finite number.")
    return value


def read_value(value: Any) -> Value:
    """A number or an array as data."""
    array = as_numbers(value)
    return array.numbers[0] if array.shape == () else array


def as_numbers(value: Any) -> Numbers:
    """An array as data.

    Raises:
        PellucidError: it holds anything but numbers, or NaN, or +∞.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise PellucidError(f"{value!r} is neither a number nor an array of numbers.") from None
    if np.isnan(array).any() or (array == np.inf).any():
        raise PellucidError("A value is NaN or +∞: give finite numbers, or −∞.")
    flat = array.ravel().tolist()
    return Numbers(array.shape, tuple(SHUT if number == -np.inf else number for number in flat))


def as_array(value: Value) -> Array:
    """The array that a value stands for, in float64."""
    if isinstance(value, Numbers):
        return value.array
    return np.array(-np.inf if value == SHUT else value, dtype=np.float64)


def say(value: Value) -> str:
    """A value in words, a number as it is typed."""
    if value == SHUT:
        return "-inf"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
