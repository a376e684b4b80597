"""Blocks check what they are given, and keep it."""

from typing import Any

import numpy as np
import pytest

from pellucid.views.markup import Span
from pellucid.views.scene import Bars, Curve, Level, Prose, Scene, Series, Table


def test_an_empty_line_parts_paragraphs_and_a_line_break_is_a_space():
    prose = Prose("""
        One line
        and the same paragraph.

        Another **one**.
    """)
    assert prose.paragraphs == (
        (Span("One line and the same paragraph."),),
        (Span("Another "), Span("one", "bold"), Span(".")),
    )
    assert Prose("  ").paragraphs == ()


def test_a_table_has_as_many_cells_in_every_row_as_columns():
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table("", ("a", "b"), (("x",),))
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table("", ("a", "b"), (), align=("left",))


def test_a_table_holds_python_numbers():
    numbers: Any = (np.float32(0.5), np.int64(3))
    (row,) = Table("", ("a", "b"), (numbers,)).rows
    assert row == (0.5, 3)
    assert [type(cell) for cell in row] == [float, int]


def test_a_series_without_x_counts_from_zero():
    assert Series("loss", np.array([3.0, 2.0])).x == pytest.approx([0, 1])
    with pytest.raises(ValueError, match="3 x values for 2 y values of loss"):
        Series("loss", np.array([3.0, 2.0]), np.arange(3))


def test_blocks_keep_what_they_were_given():
    items: Any = [("a", np.float32(1.0))]
    blocks: Any = [Prose("x")]
    bars, scene = Bars("", items), Scene("", blocks)
    items.append(("b", np.float32(2.0)))
    blocks.append(Prose("y"))
    assert bars.items == (("a", 1.0),)
    assert scene.blocks == (Prose("x"),)


def test_powers_of_ten_reach_nothing_that_is_not_above_0():
    good, bad = Series("a", np.array([1.0, 2.0]), np.array([1, 2])), Series("b", np.ones(2))
    assert Curve("T", (good,), "x", "y", logarithmic=True).logarithmic
    assert not Curve("T", (bad,), "x", "y").logarithmic
    for series, levels in ((bad, ()), (good, (Level("none", 0.0),))):
        with pytest.raises(ValueError, match="T: powers of ten"):
            Curve("T", (series,), "x", "y", levels=levels, logarithmic=True)
