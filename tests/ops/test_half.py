"""Numbers of 16 bits read as the float32 that each of them is."""

import numpy as np
import pytest
import torch

from pellucid.ops.half import BFLOAT16, BLOCK, HalfMatrix, is_half, widen
from pellucid.ops.product import multiply

EVERY = np.arange(1 << 16, dtype=np.uint16)
"""Every pattern of 16 bits."""


def as_bfloat16(array):
    """The nearest bfloat16 below, as they lie in a file."""
    return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(BFLOAT16)


def test_every_bfloat16_is_widened_to_what_it_is():
    want = torch.tensor(EVERY.view(np.int16)).view(torch.bfloat16).float().numpy()
    assert np.array_equal(widen(EVERY.view(BFLOAT16)), want, equal_nan=True)


def test_every_float16_is_widened_to_what_it_is():
    want = torch.tensor(EVERY.view(np.int16)).view(torch.float16).float().numpy()
    assert np.array_equal(widen(EVERY.view(np.float16)), want, equal_nan=True)


def test_other_numbers_stay_as_they_are():
    for dtype in (np.float32, np.float64, np.int64):
        array = np.ones(3, dtype)
        assert not is_half(array)
        assert widen(array) is array


def test_views_are_widened_too():
    stored = as_bfloat16(np.arange(12.0).reshape(3, 4))
    assert np.array_equal(widen(stored.T), np.arange(12.0).reshape(3, 4).T)
    assert np.array_equal(widen(stored[:, 1:3]), np.arange(12.0).reshape(3, 4)[:, 1:3])


@pytest.mark.parametrize("convert", [as_bfloat16, lambda array: array.astype(np.float16)])
@pytest.mark.parametrize("shape", [(8, 12), (3, 1), (400, 2000)])
@pytest.mark.parametrize("turned", [False, True])
def test_a_product_is_that_with_the_widened_matrix(turned, shape, convert):
    rng = np.random.default_rng(0)
    stored = convert(rng.standard_normal(shape[::-1] if turned else shape))
    stored = stored.T if turned else stored
    assert (stored.size > BLOCK) == (shape == (400, 2000))
    half, wide = HalfMatrix(stored), widen(stored)
    for rows in (1, 5):
        x = rng.standard_normal((rows, shape[0])).astype(np.float32)
        product = multiply(x, half)
        assert product.dtype == np.float32
        assert np.allclose(product, x @ wide, rtol=1e-4, atol=1e-4)
        back = rng.standard_normal((rows, shape[1])).astype(np.float32)
        assert np.allclose(multiply(back, half.T), back @ wide.T, rtol=1e-4, atol=1e-4)


def test_it_reads_as_a_matrix_of_float32():
    stored = as_bfloat16(np.arange(12.0).reshape(3, 4))
    half = HalfMatrix(stored)
    assert (half.shape, half.size, half.ndim, len(half)) == ((3, 4), 12, 2, 3)
    assert half.dtype == np.float32
    assert half.nbytes == 24
    assert np.array_equal(half, np.arange(12.0).reshape(3, 4))
    assert np.asarray(half, dtype=np.float64).dtype == np.float64
    rows = half.take(np.array([[2, 0]]), axis=0)
    assert rows.dtype == np.float32
    assert np.array_equal(rows, np.arange(12.0).reshape(3, 4)[[[2, 0]]])
