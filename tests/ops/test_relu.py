"""Activations that shut out what is negative."""

import numpy as np

from pellucid.ops.relu import Relu, ReluSquared
from tests.ops.passes import backward, output


def test_relu_keeps_what_is_above_0():
    assert output(Relu(), np.array([-2.0, -0.0, 0.0, 3.0])).tolist() == [0, 0, 0, 3]


def test_relus_slope_at_0_is_0():
    x = np.array([-1.0, 0.0, 1.0])
    (slope,), () = backward(Relu(), np.ones(3), [x])
    assert slope.tolist() == [0, 0, 1]


def test_the_square_of_what_is_above_0():
    x = np.array([-2.0, -0.0, 0.0, 3.0])
    assert output(ReluSquared(), x).tolist() == [0, 0, 0, 9]
    (slope,), () = backward(ReluSquared(), np.ones(4), [x])
    assert slope.tolist() == [0, 0, 0, 6]
