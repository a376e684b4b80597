"""Derivatives by moving one number a little each way."""

import numpy as np

STEP = 1e-5
TOLERANCE = 1e-6


def slopes(function, array, cells=None):
    """Central differences of a scalar `function()` that reads `array`, one for each of its `cells`.

    Every cell unless flat indices are given. `array` is put back as it was.
    """
    flat = array.reshape(-1)
    assert np.shares_memory(flat, array)
    found = []
    for cell in range(flat.size) if cells is None else cells:
        before = flat[cell]
        flat[cell] = before + STEP
        above = function()
        flat[cell] = before - STEP
        below = function()
        flat[cell] = before
        found.append((above - below) / (2 * STEP))
    return np.array(found)


def assert_slopes(gradient, measured, cells=None):
    """A gradient is what was measured, to 1e-6 · max(1, its largest number)."""
    computed = gradient.ravel() if cells is None else gradient.ravel()[cells]
    allowed = TOLERANCE * max(1.0, np.abs(gradient).max(initial=0))
    np.testing.assert_allclose(computed, measured, rtol=0, atol=allowed)
