"""Gains and shifts: of the whole vector or of each head, as they are or added to 1."""

import numpy as np
import pytest

from pellucid.ops.layer_norm import LayerNorm
from pellucid.ops.rms_norm import RmsNorm
from tests.ops.passes import backward

RNG = np.random.default_rng(0)
KINDS = pytest.mark.parametrize("kind", [LayerNorm, RmsNorm])
HEADS = RNG.standard_normal((2, 3, 4, 5))


@KINDS
def test_a_gain_that_is_added_to_1(kind):
    x, gamma = RNG.standard_normal((2, 4, 5)), RNG.standard_normal(5)
    plain, offset = (kind("gamma", None, 1e-6, unit_offset=each) for each in (False, True))
    expected, _ = plain.forward([x], [1 + gamma])
    out, _ = offset.forward([x], [gamma])
    np.testing.assert_array_equal(out, expected)
    assert "(1 + gamma)" in offset.equation(["x"], ["gamma"], {})


@KINDS
def test_each_heads_own_gain_and_shift_are_those_of_norms_of_single_heads(kind):
    gamma, beta = RNG.standard_normal((3, 5)), RNG.standard_normal((3, 5))
    grad = RNG.standard_normal(HEADS.shape)
    op, single = (kind("gamma", "beta", 1e-6, by_head=each) for each in (True, False))
    out, _ = op.forward([HEADS], [gamma, beta])
    (to_x,), (to_gamma, to_beta) = backward(op, grad, [HEADS], [gamma, beta])
    for head in range(3):
        x, own = HEADS[:, head], [gamma[head], beta[head]]
        np.testing.assert_allclose(out[:, head], single.forward([x], own)[0], atol=1e-14)
        (alone,), (gain, shift) = backward(single, grad[:, head], [x], own)
        np.testing.assert_allclose(to_x[:, head], alone, atol=1e-14)
        np.testing.assert_allclose(to_gamma[head], gain, atol=1e-14)
        np.testing.assert_allclose(to_beta[head], shift, atol=1e-14)


@KINDS
def test_dims_of_parameters(kind):
    dims = ("kv_head", "position", "d_head")
    assert kind("g", "b", 0, by_head=True).parameter_dims(dims) == (("kv_head", "d_head"),) * 2
    assert kind("g", "b", 0).parameter_dims(dims) == (("d_head",),) * 2
    assert kind("g", None, 0).parameter_dims(dims) == (("d_head",),)
