"""A soft cap keeps small numbers and lets none grow past it."""

import numpy as np

from pellucid.ops.soft_cap import SoftCap
from tests.ops.passes import backward, output


def test_small_numbers_stay_and_large_ones_come_to_the_cap():
    x = np.array([-1e9, -1e-4, 0.0, 1e-4, 1e9])
    np.testing.assert_allclose(output(SoftCap(30.0), x), [-30, -1e-4, 0, 1e-4, 30], rtol=1e-9)


def test_where_the_cap_is_reached_no_gradient_gets_through():
    (slope,), () = backward(SoftCap(2.0), np.ones(3), [np.array([-1e3, 0.0, 1e3])])
    assert slope.tolist() == [0, 1, 0]
