"""The dots that are set are the dots that are drawn."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.terminal.braille import Canvas

POINTS = st.tuples(st.integers(0, 19), st.integers(0, 19))


def dots(rows):
    """Read a drawing back by the bits of the Unicode standard, chapter 21.1: dots 1 to 8."""
    order = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]
    found = np.zeros((len(rows) * 4, len(rows[0]) * 2), dtype=bool)
    for row, characters in enumerate(rows):
        for column, character in enumerate(characters):
            code = 0 if character == " " else ord(character) - 0x2800
            for bit, (down, across) in enumerate(order):
                found[4 * row + down, 2 * column + across] = bool(code >> bit & 1)
    return found


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 9))))
def test_a_drawing_reads_back(places):
    canvas = Canvas(width=5, height=3)
    for row, column in places:
        canvas.dots[row, column] = True
    np.testing.assert_array_equal(dots(canvas.rows()), canvas.dots)
    for row in range(3):
        for column in range(5):
            assert canvas.marked(row, column) == (canvas.rows()[row][column] != " ")
            assert canvas.marked(row, column) == (canvas.rows(unicode=False)[row][column] == "*")


@given(POINTS, POINTS)
def test_a_line_joins_its_ends_without_a_gap(start, end):
    canvas = Canvas(width=10, height=5)
    canvas.join(start, end)
    for column, row in (start, end):
        assert canvas.dots[row, column]
    (left, _), (right, _) = sorted((start, end))
    columns = [np.flatnonzero(canvas.dots[:, column]) for column in range(left, right + 1)]
    assert canvas.dots.sum() == sum(map(len, columns))
    for here in columns:
        assert list(here) == list(range(here[0], here[-1] + 1))
    for here, there in pairwise(columns):
        assert here[0] - 1 <= there[-1]
        assert there[0] - 1 <= here[-1]
    rows = np.flatnonzero(canvas.dots.any(axis=1))
    assert (rows[0], rows[-1]) == tuple(sorted((start[1], end[1])))
