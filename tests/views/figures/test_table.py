"""A table as a picture: every cell in its column, numbers below each other by their points."""

from itertools import pairwise

import pytest

from pellucid.views.figures.measure import figure_of
from pellucid.views.figures.table import heights, table_extent, written
from pellucid.views.scene import Table
from tests.views.figures import looks
from tests.views.figures.sheets import HOSTILE, course, drawn, styled, texts

TABLE = Table(
    "Tensors",
    ("tensor", "cells", "worst"),
    (("embed.out", 32, 0.25), ("attn.pattern", 1024, 12.5), ("loss", None, float("nan"))),
    note="Of `baby-groot`.",
)
LONG = Table("T", ("what", "number"), (("word " * 30, 1), ("short", 2)))


def boxes(axes):
    return {line.text: line.box for line in looks.written(figure_of(axes))}


def test_names_stand_over_their_cells_in_order():
    axes = drawn(TABLE, 400.0)
    assert texts(axes) == [
        *("tensor", "embed.out", "attn.pattern", "loss"),
        *("cells", "32", "1,024", ""),
        *("worst", "0.25", "12.50", "NaN"),
        "Of baby-groot.",
    ]
    assert axes.get_title(loc="left") == "Tensors"
    left = {text.get_text(): text.get_position() for text in axes.texts}
    assert left["embed.out"][0] == left["tensor"][0]
    assert left["embed.out"][1] == left["32"][1] == left["0.25"][1]
    assert left["tensor"][1] < left["embed.out"][1] < left["attn.pattern"][1]


def test_numbers_end_or_have_their_points_below_each_other():
    found = boxes(drawn(TABLE, 400.0))
    assert found["32"][2] == pytest.approx(found["1,024"][2], abs=1.0)
    assert found["0.25"][2] == pytest.approx(found["12.50"][2], abs=1.0)
    mixed = Table(None, ("n",), (("1.5",), ("22.25",), ("3",)))
    found = boxes(drawn(mixed, 100.0))
    point = found["1.5"][0] + (found["3"][2] - found["3"][0])
    assert point == pytest.approx(found["3"][2], abs=1.5)


def test_a_rule_stands_below_the_names_and_below_every_row():
    axes = drawn(TABLE, 400.0)
    rules = [course(line)[0, 1] for line in axes.lines]
    assert len(rules) == 4
    assert rules == sorted(rules)


def test_words_are_broken_where_the_room_is_short_and_rows_grow():
    with styled():
        columns, note = written(LONG, 200.0)
        high, low = heights(columns)[1:]
        assert table_extent(LONG, 200.0).width <= 200.51
    assert note is None
    assert len(columns[0].cells[0]) > 3
    assert high > 3 * low
    assert " ".join(columns[0].cells[0]).split() == ["word"] * 30


def test_columns_that_do_not_fit_are_named():
    wide = Table("T", tuple(f"column number {n}" for n in range(9)), ((1.0,) * 9,))
    with styled():
        columns, note = written(wide, 200.0)
    assert 0 < len(columns) < 9
    assert note is not None
    assert note.startswith("Not shown, for want of room: column number")
    assert note.endswith("column number 8.")


def test_of_a_long_table_the_edges_are_drawn():
    long = Table("T", ("n",), tuple((str(row),) for row in range(100)))
    axes = drawn(long, 100.0, 700.0)
    assert texts(axes)[-1] == "Shown: 39 of 100 rows (0–28, 90–99)."
    assert "⋮" in texts(axes)


@pytest.mark.parametrize("room", [90.0, 400.0])
def test_no_cell_lies_over_another_whatever_it_holds(room):
    table = Table("T", ("any", "other"), tuple((text, text[::-1]) for text in HOSTILE))
    with styled():
        extent = table_extent(table, room)
    axes = drawn(table, extent.width, extent.height)
    looks.assert_nothing_overlaps(figure_of(axes))
    lefts = sorted({round(text.get_position()[0]) for text in axes.texts[:-1]})
    assert all(right - left > 20 for left, right in pairwise(lefts))
