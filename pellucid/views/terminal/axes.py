"""The axes of a drawing made of characters: round numbers, and where they fall."""

from __future__ import annotations

import math
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
    """What the axes span, and how many characters `width` by `height` they have for it."""

    width: int
    height: int
    left: float
    right: float
    bottom: float
    top: float

    def row(self, y: float) -> int:
        """The row of dots, from the top, that stands for `y`."""
        last = self.height * DOTS_DOWN - 1
        return min(max(round((self.top - y) / (self.top - self.bottom) * last), 0), last)

    def column(self, x: float) -> int:
        """The column of dots, from the left, that stands for `x`."""
        last = self.width * DOTS_ACROSS - 1
        return min(max(round((x - self.left) / (self.right - self.left) * last), 0), last)


def span(values: NDArray[np.float64], margin: float) -> tuple[float, float]:
    """The range of finite values, widened by a share of itself (by a half if it has no width)."""
    low, high = float(values.min()), float(values.max())
    # Numbers so close that nothing could be drawn between them count as one.
    wide = high - low > _NARROWEST
    extra = (high - low) * margin if wide else 0.5
    return low - extra, high + extra


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
