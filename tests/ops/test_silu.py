"""SiLU, and the GELU that is made like it."""

import math

import numpy as np
import pytest

from pellucid.ops.gelu import Gelu
from pellucid.ops.silu import GeluQuick, Silu
from tests.ops.passes import output


@pytest.mark.parametrize(("op", "steepness"), [(Silu(), 1.0), (GeluQuick(), 1.702)])
def test_it_is_x_times_its_logistic_function(op, steepness):
    x = np.linspace(-30, 30, 1001)
    expected = [each / (1 + math.exp(-steepness * each)) for each in x]
    np.testing.assert_allclose(output(op, x), expected, rtol=0, atol=1e-14)


def test_the_quick_gelu_stays_near():
    x = np.linspace(-9, 9, 1001)
    assert 0 < np.abs(output(Gelu(), x) - output(GeluQuick(), x)).max() < 0.03
