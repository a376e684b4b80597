"""Points on a terminal: dots where they are, and names that hide nothing."""

import numpy as np
import pytest
from rich.cells import cell_len

from pellucid.views.points import Points
from pellucid.views.terminal.page import Page
from pellucid.views.terminal.points import draw_points

HOSTILE = ("$x$", "<b>", "a\nb", "日本語", "é́", "\u202egroot", "🙂", "w" * 5000, "")


def points(ends, names=None, ways=None, **options):
    names = names or tuple(f"n{place}" for place in range(len(ends)))
    given = np.array(ends, float)[:, None] if ways is None else np.array(ways, float)
    return Points("Title", names, given, x_label="across", y_label="up", **options)


def lines(block, **page):
    return [line.plain for line in draw_points(block, Page(**page))]


def place_of(text, drawn):
    """Row and column of a text that stands there once."""
    (found,) = [(row, line.index(text)) for row, line in enumerate(drawn) if text in line]
    return found


def test_points_lie_as_on_paper():
    drawn = lines(points([(0, 0), (1, 0), (0, 1)], ("origin", "right", "up")))
    (row, column), right, up = (place_of(name, drawn) for name in ("•origin", "right", "•up"))
    assert right[0] == row
    assert right[1] > column
    assert up[1] == column
    assert up[0] < row


def test_every_point_has_a_dot_and_its_name_at_its_side():
    drawn = "\n".join(lines(points([(0, 0), (3, 1), (2, 4)])))
    assert drawn.count("•") == 3
    assert all(f"•n{n}" in drawn or f"n{n}•" in drawn for n in range(3))
    assert "names have no room" not in drawn


def test_a_name_that_would_hide_another_is_left_out_and_counted():
    drawn = lines(points([(0, 0), (0, 0), (0, 0), (1, 1)], ("aaa", "bbb", "ccc", "d")))
    assert sum(name in "\n".join(drawn) for name in ("aaa", "bbb", "ccc")) == 2
    assert "1 of 4 names have no room." in drawn[-1]


def test_a_way_is_drawn_in_dots():
    straight = points([], ("a",), ways=[[[0, 0], [1, 1]]])
    alone = points([(1, 1)], ("a",), span=straight.span)
    braille = lambda block: sum("\u2800" < c < "\u28ff" for c in "".join(lines(block)))  # noqa: E731
    assert braille(alone) == 0
    assert braille(straight) > 10


def test_axes_are_named_and_have_numbers():
    drawn = lines(points([(0, 0), (10, 100)], note="A note."))
    text = "\n".join(drawn)
    assert "across" in text
    assert "up" in drawn[1]
    assert " 100 ┤" in text
    assert drawn[-1].strip() == "A note."


@pytest.mark.parametrize("width", [20, 40, 80, 160])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_it_fits_whatever_the_names(width, encoding):
    block = points([(n % 4, n // 4) for n in range(len(HOSTILE))], HOSTILE)
    for line in draw_points(block, Page(width=width, encoding=encoding)):
        assert cell_len(line.plain) <= width


@pytest.mark.parametrize("ends", [[(np.nan, 0), (0, 0)], [(np.inf, 0)], [(1e300, -1e300), (0, 0)]])
def test_what_is_not_finite_is_no_point(ends):
    drawn = "\n".join(lines(points(ends)))
    assert drawn.count("•") == np.isfinite(ends).all(axis=1).sum()
