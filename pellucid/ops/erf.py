"""The error function on arrays, which NumPy does not have."""

from __future__ import annotations

import numpy as np

from pellucid.ops.operation import Array

# Rational approximations in three ranges, each to the last digit or two of double precision.
# Sources: near 0 FDLIBM's `s_erf.c` (Sun Microsystems, 1993), where x · (1 + small) loses nothing;
# beyond it W. J. Cody, "Rational Chebyshev Approximations for the Error Function",
# Mathematics of Computation 23 (1969).
NEAR = 0.84375
FAR = 4.0
NEAR_TOP = (
    -2.37630166566501626084e-05,
    -5.77027029648944159157e-03,
    -2.84817495755985104766e-02,
    -3.25042107247001499370e-01,
    1.28379167095512558561e-01,
)
NEAR_BOTTOM = (
    -3.96022827877536812320e-06,
    1.32494738004321644526e-04,
    5.08130628187576562776e-03,
    6.50222499887672944485e-02,
    3.97917223959155352819e-01,
    1.0,
)
MIDDLE_TOP = (
    2.15311535474403846e-8,
    5.64188496988670089e-1,
    8.88314979438837594e00,
    6.61191906371416295e01,
    2.98635138197400131e02,
    8.81952221241769090e02,
    1.71204761263407058e03,
    2.05107837782607147e03,
    1.23033935479799725e03,
)
MIDDLE_BOTTOM = (
    1.0,
    1.57449261107098347e01,
    1.17693950891312499e02,
    5.37181101862009858e02,
    1.62138957456669019e03,
    3.29079923573345963e03,
    4.36261909014324716e03,
    3.43936767414372164e03,
    1.23033935480374942e03,
)
FAR_TOP = (
    1.63153871373020978e-2,
    3.05326634961232344e-1,
    3.60344899949804439e-1,
    1.25781726111229246e-1,
    1.60837851487422766e-2,
    6.58749161529837803e-4,
)
FAR_BOTTOM = (
    1.0,
    2.56852019228982242e00,
    1.87295284992346047e00,
    5.27905102951428412e-1,
    6.05183413124413191e-2,
    2.33520497626869185e-3,
)
BEYOND = 6.0
"""From here on erf is 1 in double precision."""


def erf(x: Array) -> Array:
    """`2/√π · ∫₀ˣ exp(-t²) dt`, computed in float64, in the dtype of `x`; NaN stays NaN."""
    flat = np.asarray(x, dtype=np.float64).ravel()
    size = np.abs(flat)
    out = np.where(np.isnan(flat), flat, np.sign(flat))
    near, far = size <= NEAR, (size > FAR) & (size < BEYOND)
    middle = (size > NEAR) & (size <= FAR)
    square = flat[near] ** 2
    out[near] = flat[near] + flat[near] * ratio(NEAR_TOP, NEAR_BOTTOM, square)
    y = size[middle]
    out[middle] *= 1 - np.exp(-y * y) * ratio(MIDDLE_TOP, MIDDLE_BOTTOM, y)
    y = size[far]
    inverse = 1 / (y * y)
    tail = (1 / np.sqrt(np.pi) - inverse * ratio(FAR_TOP, FAR_BOTTOM, inverse)) / y
    out[far] *= 1 - np.exp(-y * y) * tail
    return out.reshape(x.shape).astype(x.dtype, copy=False)


def ratio(top: tuple[float, ...], bottom: tuple[float, ...], x: Array) -> Array:
    """One polynomial over another, coefficients from the highest power down."""
    return np.asarray(np.polyval(top, x) / np.polyval(bottom, x))
