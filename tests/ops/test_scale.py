"""Every number times the same one, forwards and backwards."""

import numpy as np

from pellucid.ops.scale import Scale
from tests.ops.passes import backward, output


def test_numbers_and_gradients_are_multiplied_alike():
    x = np.array([1.0, -2.0, 0.5], dtype=np.float32)
    assert output(Scale(3.0), x).tolist() == [3, -6, 1.5]
    (grad,), () = backward(Scale(3.0), np.ones_like(x), [x])
    assert grad.tolist() == [3, 3, 3]
    assert output(Scale(3.0), x).dtype == grad.dtype == np.float32
