"""A product is the product, whichever way it is cut."""

import numpy as np
import pytest

from pellucid.ops.product import BLOCK, HANDFUL, LARGE, by_columns, by_rows, multiply

RNG = np.random.default_rng(0)
WIDE, TALL, ODD, SMALL = (256, 1024), (1024, 256), (401, 403), (8, 16)


@pytest.mark.parametrize("shape", [WIDE, TALL, ODD, SMALL])
@pytest.mark.parametrize("rows", [1, HANDFUL.start, HANDFUL.stop - 1, HANDFUL.stop, 40])
@pytest.mark.parametrize("transposed", [False, True])
def test_every_way_gives_the_product(shape, rows, transposed):
    assert (shape == SMALL) == (np.prod(shape) < LARGE)
    w = RNG.standard_normal(shape[::-1]).T if transposed else RNG.standard_normal(shape)
    x = RNG.standard_normal((rows, shape[0]))
    found = multiply(x, w)
    assert found.shape == (rows, shape[1])
    np.testing.assert_allclose(found, x @ w, rtol=0, atol=1e-12)
    single = multiply(x.astype(np.float32), w.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, x @ w, rtol=0, atol=1e-3)


@pytest.mark.parametrize("cut", [by_columns, by_rows])
def test_both_cuts_give_the_product(cut):
    x, w = RNG.standard_normal((5, 3 * BLOCK)), RNG.standard_normal((3 * BLOCK, 2 * BLOCK))
    np.testing.assert_allclose(cut(x, w), x @ w, rtol=0, atol=1e-12)
