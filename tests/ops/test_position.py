"""Sinusoidal positions, against the formula of the paper."""

import math

import numpy as np
import pytest

from pellucid.ops.position import Sinusoidal


@pytest.mark.parametrize("width", [1, 2, 7, 8])
def test_sines_and_cosines_of_falling_frequency(width):
    positions = np.array([[0, 1, 2, 500]])
    waves, _ = Sinusoidal(width).forward([positions], ())
    assert waves.shape == (1, 4, width)
    for t, p in enumerate(positions[0]):
        for i in range(width):
            angle = p / 10000 ** (2 * (i // 2) / width)
            expected = math.sin(angle) if i % 2 == 0 else math.cos(angle)
            assert waves[0, t, i] == pytest.approx(expected, abs=1e-12)


def test_the_first_position_alternates_0_and_1():
    waves, _ = Sinusoidal(6).forward([np.zeros((1, 1), dtype=np.int64)], ())
    assert waves.tolist() == [[[0, 1, 0, 1, 0, 1]]]
