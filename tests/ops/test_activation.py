"""What stands between the linear maps of a feed-forward network."""

import math

import numpy as np
import pytest

from pellucid.decoder.mlp import ACTIVATIONS
from pellucid.ops.gelu import Gelu, GeluTanh
from pellucid.ops.relu import Relu
from tests.ops.passes import backward, output

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])
GATES = pytest.mark.parametrize("gate", [Gelu(), GeluTanh()], ids=["gelu", "gelu_tanh"])


def test_each_goes_by_its_kind():
    assert {name: op.kind for name, op in ACTIVATIONS.items()} == {n: n for n in ACTIVATIONS}


def test_relu_keeps_what_is_above_0():
    assert output(Relu(), np.array([-2.0, -0.0, 0.0, 3.0])).tolist() == [0, 0, 0, 3]


def test_relus_slope_at_0_is_0():
    x = np.array([-1.0, 0.0, 1.0])
    (slope,), () = backward(Relu(), np.ones(3), [x])
    assert slope.tolist() == [0, 0, 1]


def test_gelu_is_x_times_the_share_below_it():
    x = np.linspace(-9, 9, 1001)
    expected = [each * (1 + math.erf(each / math.sqrt(2))) / 2 for each in x]
    np.testing.assert_allclose(output(Gelu(), x), expected, rtol=0, atol=1e-15)


def test_gelu_tanh_by_its_formula():
    x = np.linspace(-9, 9, 1001)
    inner = [math.tanh(math.sqrt(2 / math.pi) * (each + 0.044715 * each**3)) for each in x]
    np.testing.assert_allclose(output(GeluTanh(), x), x * (1 + np.array(inner)) / 2, atol=1e-15)


def test_the_approximation_stays_near():
    x = np.linspace(-9, 9, 1001)
    off = np.abs(output(Gelu(), x) - output(GeluTanh(), x)).max()
    assert 0 < off < 5e-4


@DTYPES
@GATES
def test_far_out_it_is_all_or_nothing(gate, dtype):
    x = np.array([-1e9, -1e3, 0, 1e3, 1e9], dtype=dtype)
    out, (share,) = gate.forward([x], ())
    assert out.tolist() == [0, 0, 0, 1e3, 1e9]
    assert share.tolist() == [0, 0, 0.5, 1, 1]
    (slope,), () = backward(gate, np.ones_like(x), [x])
    assert slope.tolist() == [0, 0, 0.5, 1, 1]
    assert {out.dtype, share.dtype, slope.dtype} == {np.dtype(dtype)}
