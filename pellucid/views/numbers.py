"""Numbers in columns: how many decimals, and where the points stand.

An exact zero is written `0`, so that it differs from a small number that rounds to `0.000`; of
a negative one that does, no sign is left: `0.000` as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NUMBER = re.compile(r"[-+−]?(?:\d[\d,]*\.?\d*(?:e[-+]?\d+)?|∞|inf|nan)\s*%?", re.IGNORECASE)
_WHOLE_PART = re.compile(r"[-+−]?(?:[\d,]+|∞|inf|NaN)")


@dataclass(frozen=True)
class NumberFormat:
    """One way of writing every number of a table: with `decimals`, and a power of ten or none."""

    decimals: int
    scientific: bool = False
    unicode: bool = True

    @classmethod
    def fitting(
        cls, values: NDArray[Any], *, unicode: bool = True, most: int | None = None
    ) -> NumberFormat:
        """Choose three decimals: more where numbers are small, fewer where they are long or round.

        Powers of ten where the largest magnitude is below 0.01 or from a million on. `most` is how
        many decimals there are at most; any number unless given.
        """
        numbers = np.abs(values.astype(np.float64).reshape(-1))
        numbers = numbers[np.isfinite(numbers) & (numbers > 0)]
        if not len(numbers):
            return cls(0, unicode=unicode)
        largest, typical = float(numbers.max()), float(np.median(numbers))
        whole = not np.any(numbers % 1)
        if largest < 1e-2 or largest >= (1e9 if whole else 1e6):
            return cls(2, scientific=True, unicode=unicode)
        whole_digits = max(math.floor(math.log10(largest)) + 1, 1)
        decimals = max(min(3 + (typical < 0.02) + (typical < 0.002), 7 - whole_digits), 1)
        decimals = decimals if most is None else min(decimals, most)
        enough = (d for d in range(decimals) if np.allclose(numbers.round(d), numbers, 0, 1e-9))
        return cls(next(enough, decimals), unicode=unicode)

    def text(self, number: float) -> str:
        """Return the number as it is written, not yet padded."""
        if math.isnan(number):
            return "NaN"
        if math.isinf(number):
            sign = "" if number > 0 else "−" if self.unicode else "-"
            return sign + ("∞" if self.unicode else "inf")
        if number == 0:
            return "0"
        if self.scientific:
            mantissa, exponent = f"{number:.{self.decimals}e}".split("e")
            return f"{mantissa}e{int(exponent)}"
        return f"{number:z.{self.decimals}f}"


def at_points(texts: Sequence[str]) -> list[str]:
    """Pad numbers to one width with their decimal points in one column."""
    parts = [(text[: (end := whole_part(text))], text[end:]) for text in texts]
    before = max((len(head) for head, _ in parts), default=0)
    after = max((len(tail) for _, tail in parts), default=0)
    return [head.rjust(before) + tail.ljust(after) for head, tail in parts]


def is_number(cell: object) -> bool:
    """Whether a cell of a table is a number, or the text of one: `−0.5`, `1,024`, `18.4%`."""
    return not isinstance(cell, str) or _NUMBER.fullmatch(cell) is not None


def percent(share: float, *, decimals: int = 1) -> str:
    """Return a share from 0 to 1 as a percentage with one decimal: `18.4%`, `<0.1%`, `0`."""
    if not share:
        return "0"
    if math.isnan(share):
        return "NaN"
    least = 10**-decimals
    return f"{100 * share:.{decimals}f}%" if 100 * share >= least / 2 else f"<{least:g}%"


def whole_part(text: str) -> int:
    """How many characters stand before the decimal point; all of them in a word."""
    match = _WHOLE_PART.match(text)
    return match.end() if match and match.end() else len(text)
