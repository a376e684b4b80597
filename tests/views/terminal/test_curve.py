"""A curve on a terminal: each value at its height, levels and ends with their numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pellucid.views.scene import Curve, Level, Series
from pellucid.views.terminal.curve import draw_curve
from pellucid.views.terminal.page import Page

LOSS = 0.75 + 2.5 * np.exp(-np.arange(200) / 20)


def curve(*series, levels=(), **more):
    return Curve("Loss", series, x_label="epoch", y_label="nats", levels=levels, **more)


def plain(drawn, width=80, **page):
    return [line.plain.rstrip() for line in draw_curve(drawn, Page(width=width, **page))]


def plot(lines):
    """The characters between the axis and the margin, row by row."""
    rows = [line for line in lines if "│" in line or "┤" in line]
    start = max(rows[0].find("│"), rows[0].find("┤")) + 1
    width = next(len(line) for line in lines if "└" in line) - start
    return [line[start:].ljust(width)[:width] for line in rows]


@given(
    arrays(np.float64, st.integers(1, 30)),
    st.lists(st.floats(-1e6, 1e6), max_size=2),
    st.integers(40, 200),
)
def test_no_line_is_wider_than_the_page(y, levels, width):
    y = np.where(np.abs(y) < 1e12, y, np.nan)
    drawn = curve(Series("a series", y), levels=tuple(Level("level", y) for y in levels))
    for line in draw_curve(drawn, Page(width=width)):
        assert line.cell_len <= width


@given(arrays(np.float64, 24, elements=st.floats(0, 1, width=16), unique=True))
def test_the_highest_value_stands_highest_and_the_lowest_lowest(y):
    rows = plot(plain(curve(Series("", y))))
    marked = [row for row, text in enumerate(rows) if text.strip()]
    for extreme, row in ((y.argmax(), marked[0]), (y.argmin(), marked[-1])):
        place = round(extreme / (len(y) - 1) * (2 * len(rows[0]) - 1)) // 2
        assert rows[row][place] != " "


def test_the_floor_and_the_last_value_are_named_with_their_numbers():
    lines = plain(curve(Series("loss", LOSS), levels=(Level("floor", 0.7361),)))
    assert lines[0] == "Loss"
    assert lines[1].strip() == "nats"
    (floor,) = [row for row, line in enumerate(lines) if line.endswith("floor 0.7361")]
    (last,) = [row for row, line in enumerate(lines) if line.endswith(f"loss {LOSS[-1]:.4f}")]
    assert floor == last + 1
    assert plot(lines)[floor - 2].strip()


def test_a_level_is_a_dotted_line_all_across():
    rows = plot(plain(curve(Series("", np.array([3.0, 3.0])), levels=(Level("floor", 1.0),))))
    assert len({row for row in rows if "⠁" in row or "⠂" in row or "⠄" in row or "⡀" in row}) == 1
    (dotted,) = [row for row in rows[3:] if row.strip()]
    assert len(set(dotted)) == 1


def test_the_axis_counts_in_round_numbers():
    lines = plain(curve(Series("loss", LOSS)))
    assert lines[-1].split() == ["0", "50", "100", "150", "epoch"]
    ticks = [line.split("┤")[0].strip() for line in lines if "┤" in line]
    assert ticks == ["3", "2", "1"]
    axis = lines[-2]
    for number in ("0", "50", "100", "150"):
        middle = lines[-1].index(f" {number} ") + 1 + len(number) // 2
        assert "┬" in axis[middle - 1 : middle + 1]


def test_x_values_are_used_where_there_are_any():
    lines = plain(curve(Series("loss", np.array([3.0, 2.0, 1.0]), np.array([1000, 2000, 3000]))))
    assert lines[-1].split()[0] == "1,000"


def test_a_spike_between_columns_is_not_lost():
    y = np.zeros(10_000)
    y[7_777] = 1.0
    rows = plot(plain(curve(Series("", y))))
    assert "⡇" in "".join(rows) or "⢸" in "".join(rows)
    assert rows[0].strip()


def test_what_is_not_finite_leaves_a_gap():
    y = np.array([1.0] * 20 + [np.nan] * 20 + [1.0] * 20)
    (row,) = [row for row in plot(plain(curve(Series("", y)))) if row.strip()]
    third = len(row) // 3
    assert row[: third - 1].strip("⠉⠒⠤⣀") == ""
    assert row[third + 1 : 2 * third - 1].strip() == ""
    assert "" not in row[2 * third + 2 :].split(" ")


def test_nothing_finite_is_said_in_words():
    assert plain(curve(Series("loss", np.array([np.nan]))))[-1] == (
        "  Nothing to draw: no value is finite."
    )


def test_every_series_is_named_on_a_row_of_its_own():
    same = np.array([1.0, 0.5])
    lines = plain(curve(Series("a", same), Series("b", same), Series("c", same)))
    named = [row for row, line in enumerate(lines) if line.endswith(" 0.5000")]
    assert len(named) == 3


def test_without_unicode_dots_are_stars():
    lines = plain(curve(Series("loss", LOSS)), encoding="ascii")
    assert set("".join(plot(lines))) == {" ", "*"}


def test_by_powers_of_ten_what_shrinks_by_a_share_falls_in_a_straight_line():
    x = np.array([1.0, 10.0, 100.0, 1000.0])
    drawn = curve(Series("a", 1 / x, x), logarithmic=True)
    lines = plain(drawn)
    rows = plot(lines)
    height, width = len(rows), len(rows[0])
    for place in range(height):
        straight = round(place / (height - 1) * (width - 1))
        assert rows[place][max(straight - 5, 0) : straight + 6].strip()
    assert [tick for tick in ("1,000", "100", "10") if tick in lines[-1]] == ["1,000", "100", "10"]
    assert any(line.lstrip().startswith("0.01 ┤") for line in lines)
