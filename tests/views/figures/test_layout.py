"""Blocks below and beside each other: in order, whole, and in the size that was asked for."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.transforms import Bbox

from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.measure import figure_of, margins_of
from pellucid.views.figures.sizes import SIZES, SLIDE, Size
from pellucid.views.matrix import Axis, Matrix
from pellucid.views.scene import Bars, Curve, Heading, Prose, Row, Scene, Series, Table
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps

PROSE = Prose("The model reads **four tokens** and says which comes next. " * 4)
CURVE = Curve("Loss", (Series("training", np.exp(-np.arange(9.0))),), "step", "nats")
TABLE = Table("Tensors", ("name", "cells"), (("embed.out", 32), ("loss", 1)), note="Two of many.")
BARS = Bars("Likeliest", (("groot", 2.5), ("tree", -0.5)))


def matrix(rows=4, columns=6, title="Pattern"):
    values = np.random.default_rng(rows).normal(size=(rows, columns))
    return Matrix(title, values, Axis("position"), Axis("d_model"), name="blocks.0.attn.q")


SCENE = Scene(
    "A walk", (PROSE, matrix(), Row((matrix(title="one"), matrix(title="two"))), TABLE, CURVE, BARS)
)


def around(axes):
    """The box of axes with all that belongs to them, in points from the bottom left."""
    scale = 72 / figure_of(axes).dpi
    margins = margins_of(axes)
    x0, y0, x1, y1 = axes.bbox.extents * scale
    return Bbox.from_extents(
        x0 - margins.left, y0 - margins.bottom, x1 + margins.right, y1 + margins.top
    )


@pytest.mark.parametrize("size", SIZES)
def test_nothing_lies_over_anything_or_over_the_edge(size):
    figure = draw_figure(SCENE, size=size)
    assert_nothing_cut(figure)
    assert_nothing_overlaps(figure)
    boxes = [around(axes) for axes in figure.axes]
    assert not [
        (one, other)
        for place, one in enumerate(boxes)
        for other in boxes[place + 1 :]
        if Bbox.intersection(one, other) is not None and one.overlaps(other)
    ]


def test_blocks_stand_below_each_other_in_order():
    figure = draw_figure([Heading("T"), PROSE, matrix(), CURVE])
    assert len(figure.axes) == 4
    for above, below in pairwise(map(around, figure.axes)):
        assert above.y0 > below.y1


def test_blocks_of_a_row_begin_at_one_height_and_follow_each_other():
    one, two = draw_figure(Row((matrix(3, 3), matrix(6, 3)))).axes
    assert one.bbox.y1 == pytest.approx(two.bbox.y1)
    assert around(one).x1 < around(two).x0


def test_a_row_that_is_too_wide_is_broken_and_loses_nothing():
    figure = draw_figure(Row(tuple(matrix(3, 8, title=f"T{n}") for n in range(3))), size="paper")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["T0", "T1", "T2"]
    for above, below in pairwise(map(around, figure.axes)):
        assert above.y0 > below.y1


def test_pictures_give_up_width_before_a_row_is_broken():
    alone = draw_figure(CURVE).axes[0].bbox.width
    one, two = draw_figure(Row((CURVE, CURVE))).axes
    assert one.bbox.width == pytest.approx(two.bbox.width, rel=0.05)
    assert one.bbox.width < 0.6 * alone


@pytest.mark.parametrize("blocks", [[matrix(5, 5)], [matrix(3, 3), matrix(5, 4)]])
def test_what_does_not_fill_a_slide_stands_in_its_middle(blocks):
    figure = draw_figure(blocks, size="slide")
    boxes = [around(axes) for axes in figure.axes]
    left, right = min(box.x0 for box in boxes), max(box.x1 for box in boxes)
    across = figure.get_size_inches()[0] * 72
    assert left > 0.1 * across
    assert left == pytest.approx(across - right, abs=1.0)
    assert [box.x0 for box in boxes] == pytest.approx([left] * len(boxes), abs=1.0)


@pytest.mark.parametrize("size", ["page", "paper"])
def test_a_figure_is_no_wider_than_its_size_and_no_wider_than_it_needs(size):
    most = SIZES[size].width
    assert draw_figure(CURVE, size=size).get_size_inches()[0] == pytest.approx(most, rel=0.1)
    assert draw_figure(matrix(2, 2), size=size).get_size_inches()[0] < 0.7 * most
    assert draw_figure(SCENE, size=size).get_size_inches()[0] <= most + 1e-6


@pytest.mark.parametrize("name", ["matrix", "curve", "bars", "table", "long", "all"])
def test_a_slide_always_has_its_proportions(name):
    blocks = {"matrix": matrix(), "curve": CURVE, "bars": BARS, "table": TABLE, "all": SCENE}
    figure = draw_figure(blocks.get(name, matrix(60, 4)), size="slide")
    across, down = figure.get_size_inches()
    assert across / down == pytest.approx(16 / 9)
    assert across >= SLIDE.width - 1e-6


def test_a_picture_fills_a_slide():
    axes = draw_figure(matrix(), size="slide").axes[0]
    across, down = figure_of(axes).get_size_inches() * 72
    assert around(axes).width > 0.85 * across
    assert around(axes).height > 0.7 * down


def test_what_is_too_much_for_a_slide_makes_it_larger_and_is_all_there():
    tables = [Table(f"T{n}", ("a",), tuple((f"row {m}",) for m in range(12))) for n in range(3)]
    figure = draw_figure(tables, size="slide")
    assert figure.get_size_inches()[0] > 1.5 * SLIDE.width
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["T0", "T1", "T2"]
    assert_nothing_cut(figure)


def test_a_size_of_ones_own():
    poster = Size("poster", width=20.0, text=30.0)
    figure = draw_figure([PROSE, matrix()], size=poster)
    assert figure.get_size_inches()[0] <= 20.0
    assert figure.axes[0].texts[0].get_fontsize() == 30.0


def test_titles_break_a_row_rather_than_go_over_the_edge():
    one = Bars("1000 draws at temperature 1", (("smiles", 358.0), ("<END>", 0.0)), limit=358.0)
    two = Bars("1000 times the probability", (("smiles", 333.2), ("<END>", 0.1)), limit=358.0)
    for blocks in ((one, two), (two, one)):
        assert_nothing_cut(draw_figure(Row(blocks), size="paper"))


@pytest.mark.parametrize("size", SIZES)
def test_long_labels_leave_room_for_bars_and_numbers(size):
    figure = draw_figure(Bars("T", (("a label of many words " * 3, 2.5), ("b", 1.0))), size=size)
    assert_nothing_cut(figure)
    assert around(figure.axes[0]).width > 0.5 * SIZES[size].width * 72


@pytest.mark.parametrize("size", SIZES)
def test_bars_up_to_one_limit_have_one_length_on_every_line(size):
    shares = (("<START>", 0.3333333), ("i", 0.1))
    blocks = [Bars(f"After filter {n}", shares, limit=1.0) for n in range(6)]
    boxes = [axes.bbox for axes in draw_figure(Row((*blocks[:-1], BARS)), size=size).axes[:-1]]
    assert len({round(box.y1) for box in boxes}) > 1
    assert [box.width for box in boxes] == pytest.approx([boxes[0].width] * 5, abs=0.1)


def test_a_row_is_broken_before_its_labels_have_to_stand_upright():
    tokens = ("<START>", "i", "am", "groot")
    shares = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, np.newaxis]
    pattern = Matrix("A", shares, Axis("query", tokens), Axis("key", tokens), kind="probability")
    values = Matrix("V", matrix(4, 8).values, Axis("key", tokens), Axis("d_head"))
    first, second = draw_figure(Row((pattern, values))).axes
    assert around(first).y0 > around(second).y1
    assert [label.get_rotation() for label in first.get_xticklabels()] == [0.0] * 4


def test_patterns_stay_square_beside_each_other():
    weights = np.tril(np.ones((40, 40)))
    weights /= weights.sum(axis=1, keepdims=True)
    pattern = Matrix("A", weights, Axis("query"), Axis("key"), kind="probability")
    figure = draw_figure(Row((pattern, pattern)))
    assert figure.axes[0].bbox.y1 == pytest.approx(figure.axes[1].bbox.y1)
    for axes in figure.axes:
        assert axes.bbox.width == pytest.approx(axes.bbox.height, rel=0.01)


def test_tall_matrices_give_up_their_numbers_to_stand_beside_each_other():
    one, two = draw_figure(Row((matrix(48, 8), matrix(48, 8)))).axes
    assert one.bbox.y1 == pytest.approx(two.bbox.y1)
    assert len(one.texts) < 8
    assert len(draw_figure(matrix(48, 8)).axes[0].texts) >= 48 * 8
