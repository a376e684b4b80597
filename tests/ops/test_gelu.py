"""GELU, exact and approximated."""

import math

import numpy as np

from pellucid.ops.gelu import Gelu, GeluTanh
from tests.ops.passes import output


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
