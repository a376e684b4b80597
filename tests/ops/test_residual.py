"""Adding two streams."""

import numpy as np

from pellucid.ops.residual import Add
from tests.ops.passes import backward


def test_cell_by_cell():
    out, _ = Add().forward([np.array([[[1.0, 2.0]]]), np.array([[[10.0, 20.0]]])], ())
    assert out.tolist() == [[[11, 22]]]


def test_both_get_the_whole_gradient():
    grad = np.array([[[3.0, 4.0]]])
    to_inputs, _ = backward(Add(), grad, [grad, grad])
    assert [piece.tolist() for piece in to_inputs] == [grad.tolist()] * 2
