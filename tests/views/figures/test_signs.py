"""Numbers that are none have signs of their own, and a legend that names them."""

from itertools import pairwise

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch

from pellucid.views.figures.signs import runs
from pellucid.views.figures.theme import LIGHT
from pellucid.views.matrix import Axis, Matrix
from tests.views.figures.looks import numbers_of
from tests.views.figures.sheets import drawn, texts

CAUSAL = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])


def signs(axes):
    return [patch for patch in axes.patches if isinstance(patch, PathPatch)]


def legend(axes):
    found = axes.get_legend()
    return [text.get_text() for text in found.get_texts()] if found else []


def covered(patch, shape):
    """Which cells lie inside a patch."""
    rows, columns = np.indices(shape)
    centres = np.column_stack([columns.ravel(), rows.ravel()])
    inside = [
        any(path.contains_point(centre) for path in parts(patch.get_path())) for centre in centres
    ]
    return np.array(inside).reshape(shape)


def parts(path):
    """The closed parts of a compound path."""
    starts = [*np.flatnonzero(path.codes == path.MOVETO), len(path.codes)]
    return [
        type(path)(path.vertices[start:stop], path.codes[start:stop])
        for start, stop in pairwise(starts)
    ]


def test_the_future_of_a_pattern_is_hatched_and_has_no_number():
    pattern = Matrix("A", CAUSAL, Axis("query"), Axis("key"), kind="probability")
    axes = drawn(pattern, 200, 120)
    (patch,) = signs(axes)
    assert patch.get_hatch()
    np.testing.assert_array_equal(covered(patch, (3, 3)), np.triu(np.ones((3, 3)), 1) > 0)
    assert legend(axes) == ["masked, as these tokens come later: 0"]
    assert len([text for text in texts(axes) if text]) == 6
    np.testing.assert_array_equal(np.ma.getmaskarray(numbers_of(axes)), covered(patch, (3, 3)))


def test_masked_scores_are_minus_infinity():
    scores = np.where(np.triu(np.ones((3, 3)), 1) > 0, -np.inf, 1.5)
    axes = drawn(Matrix("S", scores, Axis("query"), Axis("key")), 200, 120)
    assert legend(axes) == ["masked, as these tokens come later: −∞"]


def test_each_kind_of_number_that_is_none_looks_different():
    values = np.ones((2, 4))
    values[0, 0], values[0, 1], values[1, 2] = np.nan, np.inf, -np.inf
    axes = drawn(Matrix("T", values, Axis("position"), Axis("d_model")), 300, 60)
    below, above, none = signs(axes)
    np.testing.assert_array_equal(covered(none, (2, 4)), np.isnan(values))
    np.testing.assert_array_equal(covered(above, (2, 4)), np.isposinf(values))
    np.testing.assert_array_equal(covered(below, (2, 4)), np.isneginf(values))
    assert to_hex(none.get_facecolor()) == LIGHT.not_a_number
    assert none.get_hatch() is None
    assert above.get_hatch() != below.get_hatch()
    assert legend(axes) == ["−∞", "+∞", "NaN: not a number"]
    assert "NaN" in texts(axes)


def test_a_finite_matrix_needs_no_legend():
    axes = drawn(Matrix("T", np.ones((2, 2)), Axis("position"), Axis("d_model")), 200, 60)
    assert signs(axes) == []
    assert axes.get_legend() is None


def test_cells_beside_each_other_are_one_rectangle():
    cells = np.array([[True, True, False, True], [False, False, False, False]])
    assert len(parts(runs(cells))) == 2
