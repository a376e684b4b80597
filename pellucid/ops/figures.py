"""How a number reads in a formula."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan

import numpy as np

from pellucid.ops.operation import Array

SHOWN = 3
"""How many products of a sum are written out."""


def figure(value: float) -> str:
    """Four significant digits; −∞, ∞ and NaN by their signs."""
    value = float(value)
    if isnan(value):
        return "NaN"
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.4g}"
    return text.replace("-", "−")


def bracketed(value: float) -> str:
    """The same, in brackets where it is negative: a factor."""
    return f"({figure(value)})" if value < 0 else figure(value)


def sum_of_products(factors: Sequence[Array], extra: Sequence[float] = ()) -> str:
    """`1.9 × 1.6 + 1.2 × 0.9 + … 6 more`: the largest products first, then single numbers."""
    sizes = np.abs(np.prod([np.asarray(f, dtype=np.float64) for f in factors], axis=0))
    order = np.argsort(-sizes, kind="stable")
    shown = [" × ".join(bracketed(f[i]) for f in factors) for i in order[:SHOWN]]
    if len(order) > SHOWN:
        shown.append(f"… {len(order) - SHOWN} more")
    return " + ".join([*shown, *(bracketed(number) for number in extra)])
