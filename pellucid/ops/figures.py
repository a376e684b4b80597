"""How a number reads in a formula, in plain text and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite, isnan

import numpy as np

from pellucid.ops.operation import Array
from pellucid.ops.term import largest_first

MOST_DIGITS = 8
"""Up to so many, to tell a number from a whole one beside it."""
SHOWN = 3
"""How many products of a sum are written out."""

_PIECE = re.compile(
    r"(?P<mantissa>\d[\d.]*)e(?P<exponent>[+−-]?\d+)|√(?P<root>\d+)"
    r"|(?P<word>\s?[^\W\d_]+)|(?P<sign>\W)"
)
_SIGNS = {"×": r"\cdot", "−": "-", "∞": r"\infty", "√": r"\surd", "…": r"\dots\,", "%": r"\%"}
_WORDS = {f: rf"\{f}" for f in ("exp", "log", "max", "sin", "cos")} | {"Φ": r"\Phi"}


def figure(value: float, digits: int = 4) -> str:
    """So many significant digits; −∞, ∞ and NaN by their signs.

    A number that is not whole never looks like one: 1.0002 keeps the digits that tell it from 1.
    """
    value = float(value)
    if isnan(value):
        return "NaN"
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}g}"
    for more in range(digits + 1, MOST_DIGITS + 1):
        if value == round(value) or float(text) != round(value):
            break
        text = f"{value:.{more}g}"
    return text.replace("-", "−")


def bracketed(value: float, digits: int = 4) -> str:
    """The same, in brackets where it is negative: a factor."""
    text = figure(value, digits)
    return f"({text})" if value < 0 else text


def sum_of_products(factors: Sequence[Array], extra: Sequence[float] = ()) -> str:
    """`1.9 × 1.6 + 1.2 × 0.9 + … 6 more`: the largest products first, then single numbers."""
    order = largest_first(np.prod([np.asarray(f, dtype=np.float64) for f in factors], axis=0))
    shown = [" × ".join(bracketed(f[i]) for f in factors) for i in order[:SHOWN]]
    return " + ".join([*and_more(shown, len(order)), *(bracketed(number) for number in extra)])


def largest_of(numbers: Array) -> list[str]:
    """The largest few numbers, the largest first."""
    return [figure(number) for number in np.sort(numbers)[::-1][:SHOWN]]


def and_more(shown: Sequence[str], total: int) -> list[str]:
    """What is written out, and how many of the `total` are not."""
    return [*shown, f"… {total - len(shown):,} more"] if total > len(shown) else list(shown)


def in_latex(numbers: str) -> str:
    """A formula of numbers, as the functions above write them, in LaTeX."""
    return _PIECE.sub(_in_latex, numbers)


def _in_latex(piece: re.Match[str]) -> str:
    if piece["mantissa"]:
        return rf"{piece['mantissa']} \cdot 10^{{{int(piece['exponent'].replace('−', '-'))}}}"
    if piece["root"]:
        return rf"\sqrt{{{piece['root']}}}"
    if word := piece["word"]:
        return _WORDS.get(word, rf"\text{{{word}}}")
    return _SIGNS.get(piece["sign"], piece["sign"])
