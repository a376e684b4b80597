"""Curves as pictures."""

import subprocess
import sys

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.views.figures import draw_figure, write_figure
from pellucid.views.scene import Curve, Level, Series

CURVE = Curve(
    "Loss",
    (Series("training", np.array([3.0, 2.0, 1.5]), np.array([1, 5, 9])), Series("b", np.ones(2))),
    x_label="step",
    y_label="nats per token",
    levels=(Level("bigram", 2.5),),
    note="Means of 4 steps.",
)


def points(line):
    return np.asarray(line.get_xydata()).tolist()


def test_it_draws_the_numbers_of_the_curve_and_no_others():
    (axes,) = draw_figure(CURVE).axes
    training, other, level = axes.lines
    assert points(training) == [[1, 3.0], [5, 2.0], [9, 1.5]]
    assert points(other) == [[0, 1], [1, 1]]
    assert {y for _, y in points(level)} == {2.5}


def test_axes_lines_and_levels_are_named():
    figure = draw_figure(CURVE)
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "nats per token")
    words = {text.get_text() for text in axes.texts}
    assert words == {"bigram 2.500", "training 1.500", "b 1.000", "Means of 4 steps."}


def test_a_picture_is_written_whole(tmp_path):
    path = write_figure(CURVE, tmp_path / "loss.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == [path]


def test_where_it_cannot_be_written_is_said(tmp_path):
    with pytest.raises(PellucidError, match="cannot be written"):
        write_figure(CURVE, tmp_path / "nowhere" / "loss.png")


def test_matplotlib_is_loaded_with_the_first_picture_and_not_before():
    program = (
        "import sys, pellucid.views.figures as f\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import numpy as np\n"
        "from pellucid.views.scene import Curve, Series\n"
        "f.draw_figure(Curve('', (Series('', np.ones(2)),), '', ''))\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
