"""The axes of a drawing made of characters: round numbers, and where they fall."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

DOTS_DOWN, DOTS_ACROSS = 4, 2
"""Dots in one character, as braille has them."""

_NARROWEST = 1e-300
"""Below, a range cannot be divided into steps."""
_LONGEST = 10


@dataclass(frozen=True)
class Frame:
    """What the axes span, and how many characters `width` by `height` they have for it.

    With `logarithmic`, both go by powers of ten, and all numbers are above 0.
    """

    width: int
    height: int
    left: float
    right: float
    bottom: float
    top: float
    logarithmic: bool = False

    def row(self, y: float) -> int:
        """The row of dots, from the top, that stands for `y`."""
        last = self.height * DOTS_DOWN - 1
        share = self._share(y, self.bottom, self.top)
        return min(max(round((1 - share) * last), 0), last)

    def column(self, x: float) -> int:
        """The column of dots, from the left, that stands for `x`."""
        last = self.width * DOTS_ACROSS - 1
        return min(max(round(self._share(x, self.left, self.right) * last), 0), last)

    def _share(self, number: float, low: float, high: float) -> float:
        """How far along an axis a number stands, from 0 to 1."""
        if self.logarithmic:
            return math.log(number / low) / math.log(high / low)
        return (number - low) / (high - low)


def span(values: NDArray[np.float64], margin: float) -> tuple[float, float]:
    """The range of finite values, widened by a share of itself (by a half if it has no width)."""
    low, high = float(values.min()), float(values.max())
    # Numbers so close that nothing could be drawn between them count as one.
    wide = high - low > _NARROWEST
    extra = (high - low) * margin if wide else 0.5
    return low - extra, high + extra


def span_of_powers(values: NDArray[np.float64], margin: float) -> tuple[float, float]:
    """The same for an axis that goes by powers of ten: widened by a share of its powers."""
    low, high = span(np.log10(values), margin)
    return 10.0**low, 10.0**high


def round_powers(low: float, high: float, most: int) -> list[float]:
    """Powers of ten from `low` to `high`: at most `most` + 1, so of many each second, or fifth, ….

    Where there are fewer than two, once, twice and five times one; or else round numbers.
    """
    exponents = round_numbers(math.log10(low), math.log10(high), most)
    whole = [10.0**exponent for exponent in exponents if exponent == round(exponent)]
    if len(whole) > 1:
        return whole
    first = math.floor(math.log10(low))
    several = [10.0**power * factor for power in (first, first + 1) for factor in (1, 2, 5)]
    inside = [number for number in several if low <= number <= high]
    return inside or round_numbers(low, high, most)


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """At most `most` + 1 multiples of 1, 2 or 5 times a power of ten, from `low` to `high`."""
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [(first + index) * step for index in range(max(count, 0))]


def tick_texts(ticks: list[float]) -> list[str]:
    """The ticks with as many decimals as tell them apart, and no more."""
    step = min((b - a for a, b in pairwise(ticks)), default=1.0)
    decimals = max(-math.floor(math.log10(step) + 1e-9), 0)
    texts = [f"{tick:,.{decimals}f}" for tick in ticks]
    if max(map(len, texts), default=0) > _LONGEST:
        return [f"{tick:.6g}" for tick in ticks]
    return texts


def power_texts(ticks: list[float]) -> list[str]:
    """Ticks by powers of ten, very small and very large ones as `1e-20`."""
    return [
        f"{tick:,.6g}" if 1e-4 < tick < 1e6 else re.sub(r"e\+?(-?)0*", r"e\1", f"{tick:.4g}")
        for tick in ticks
    ]
