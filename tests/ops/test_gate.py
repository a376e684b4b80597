"""A gate multiplies cell by cell; each side's gradient is the other's value."""

import numpy as np

from pellucid.ops.gate import Gate
from tests.ops.passes import backward, output


def test_what_is_shut_lets_nothing_through():
    opened, x = np.array([0.0, 1.0, 0.5]), np.array([7.0, 7.0, 7.0])
    assert output(Gate(), opened, x).tolist() == [0, 7, 3.5]
    (to_gate, to_x), () = backward(Gate(), np.ones(3), [opened, x])
    assert np.array_equal(to_gate, x)
    assert np.array_equal(to_x, opened)
