"""A sum and one cell of it."""

import numpy as np
import pytest

from pellucid.tour.sums import addition
from pellucid.views.scene import Equation
from tests.tour.scenes import found, of_kind


@pytest.mark.parametrize("name", ["embed.out", "blocks.0.resid_mid", "blocks.0.resid_post"])
def test_the_worked_cell_is_the_tensors(any_lesson, name):
    (equation,) = of_kind(addition(any_lesson, name), Equation)
    column, a, b, total = found(
        r", (\d+)\] = (-?[\d.]+) \+ (-?[\d.]+) = (-?[\d.]+)$", equation.plain
    )
    assert equation.plain.startswith(f"{name}[{any_lesson.trace.tokens[-1]}, ")
    cell = any_lesson.trace[name].values[-1, int(column)]
    assert total == f"{cell:.3f}"
    assert abs(cell) == np.abs(any_lesson.trace[name].values[-1]).max()
    # Each of the three is rounded by itself.
    assert float(a) + float(b) == pytest.approx(float(cell), abs=1.1e-3)
