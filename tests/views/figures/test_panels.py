"""A grid of matrices as a picture: one image of their numbers, one scale, one legend."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection

from pellucid.views.catalogue.layers import heads
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.mosaic import mosaic
from pellucid.views.figures.sizes import SIZES
from pellucid.views.scene import Axis, Panels
from tests.small_models import small_model
from tests.views.figures.looks import (
    assert_looks_like,
    assert_nothing_cut,
    assert_nothing_overlaps,
)


def patterns(ids=(1, 4, 2, 5)):
    (block,) = heads(small_model().trace(ids=list(ids)))
    return block


def of(values, *, kind="signed", labels=None):
    inner = (Axis("query", labels), Axis("key", labels))
    return Panels("T", tuple(np.asarray(values)), Axis("block"), Axis("head"), *inner, kind)


def causal(blocks, heads, size):
    numbers = np.tril(np.random.default_rng(0).random((blocks, heads, size, size)))
    return of(numbers / numbers.sum(axis=-1, keepdims=True), kind="probability")


def shown(figure):
    """The numbers of the image, and its corner and size on the axes."""
    (image,) = figure.axes[0].images
    return image.get_array(), image.get_extent()


def legend(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_every_matrix_stands_in_its_place_of_the_image():
    panels = patterns()
    pixels, _ = shown(draw_figure(panels))
    blocks, n_heads, size, _ = panels.shape
    side, stride = 24, 27
    assert pixels.shape == (blocks * stride - 3, n_heads * stride - 3)
    for block, array in enumerate(panels.values):
        for head, matrix in enumerate(array):
            top, left = block * stride, head * stride
            part = pixels[top : top + side, left : left + side]
            np.testing.assert_array_equal(part[3::6, 3::6], matrix)
            np.testing.assert_array_equal(part, np.kron(matrix, np.ones((side // size,) * 2)))
    assert pixels.mask[side:stride].all()
    assert pixels.mask[:, side:stride].all()


def test_one_scale_from_zero_to_one_holds_for_patterns():
    figure = draw_figure(patterns())
    (image,) = figure.axes[0].images
    assert (image.norm.vmin, image.norm.vmax) == (0, 1)
    (bar,) = figure.axes[0].child_axes
    assert [label.get_text() for label in bar.get_yticklabels()] == ["0", "1"]


def test_one_scale_about_zero_holds_for_signed_numbers():
    (image,) = draw_figure(of([[[[0.5]]], [[[-2.0]]]])).axes[0].images
    assert (image.norm.vmin, image.norm.vmax) == (-2, 2)


def test_the_future_is_hatched_in_every_matrix_and_nothing_else_is():
    figure = draw_figure(patterns())
    hatched = [
        collection
        for collection in figure.axes[0].collections
        if isinstance(collection, PolyCollection) and collection.get_hatch()
    ]
    (collection,) = hatched
    paths = collection.get_paths()
    assert len(paths) == 8
    _, (left, right, bottom, top) = shown(figure)
    side = (right - left) / (4 * 27 - 3) * 24
    for row in range(4):
        for column in range(4):
            middle = left + (column + 0.5) * side / 4, top + (row + 0.5) * side / 4
            assert paths[0].contains_point(middle) == (column > row)
    assert legend(figure) == ["masked, as these tokens come later"]
    assert bottom > top


def test_what_is_not_finite_has_signs_of_its_own():
    figure = draw_figure(of([[[[np.nan, np.inf], [-np.inf, 1.0]]]]))
    marks = [c for c in figure.axes[0].collections if isinstance(c, PathCollection)]
    assert [bool(mark.get_hatch()) for mark in marks] == [True, True, False]
    assert legend(figure) == ["−∞", "+∞", "NaN: not a number"]
    pixels, _ = shown(figure)
    assert pixels.mask[0, 0]
    assert pixels[-1, -1] == 1


def test_rows_columns_and_tokens_are_named():
    said = words(draw_figure(patterns()))
    assert {"block 0", "block 1", "head 0", "head 3"} <= set(said)
    tokens = patterns().inner_rows.labels or ()
    assert [said.count(token) for token in tokens] == [2 + 4] * 4


def test_where_there_is_no_room_columns_are_numbered_and_cells_put_together():
    figure = draw_figure(causal(6, 24, 64), size="paper")
    said = words(figure)
    assert {"head", "0", "2", "block 4"} <= set(said)
    assert "1" not in said
    assert any("Each cell stands for up to" in text for text in said)


def test_a_reduced_image_holds_numbers_of_its_matrices():
    panels = causal(2, 2, 600)
    pixels, _ = shown(draw_figure(panels, size="paper"))
    assert pixels.shape[0] < 600
    assert set(pixels.compressed().tolist()) <= set(
        np.concatenate([v.ravel() for v in panels.values])
    )


def test_matrices_that_are_not_square_fill_squares():
    pixels = mosaic(of(np.arange(6.0).reshape(1, 1, 1, 6)))
    assert pixels.shape == (24, 24)
    np.testing.assert_array_equal(pixels[0, ::4], np.arange(6))


@pytest.mark.parametrize(
    ("size", "theme"), [("page", "dark"), ("slide", "light"), ("paper", "light")]
)
@pytest.mark.parametrize(
    "panels",
    [
        patterns(),
        patterns((3,)),
        of(np.ones((1, 2, 3, 3)), labels=("$x$", "w" * 5000, "日本")),
        causal(9, 40, 2),
    ],
)
def test_words_neither_overlap_nor_are_cut(panels, size, theme):
    figure = draw_figure(panels, theme=theme, size=size)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)


def test_its_looks():
    assert_looks_like(draw_figure(patterns()), "block_panels")


@pytest.mark.parametrize("size", ["page", "slide"])
def test_the_bar_of_colours_stands_beside_the_matrices(size):
    figure = draw_figure(of(np.zeros((6, 2, 3, 3))), size=size)
    (axes,) = figure.axes
    _, (_, end, *_) = shown(figure)
    figure.draw_without_rendering()  # Puts the bar in its place.
    gap = axes.child_axes[0].bbox.x0 - axes.transData.transform((end, 0))[0]
    assert 0 < gap * 72 / figure.dpi < 2 * SIZES[size].text
