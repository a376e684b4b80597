"""A matrix as a picture: its own numbers, its tensor's words, and as much as there is room for."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.views.figures.matrix import matrix_extent
from pellucid.views.figures.measure import figure_of, margins_of
from pellucid.views.matrix import Axis, Matrix
from tests.traces import trace_of
from tests.views.figures.looks import assert_nothing_overlaps, numbers_of
from tests.views.figures.sheets import HOSTILE, drawn, styled, texts

ROOM = 460.0


def pattern():
    return Matrix.of(trace_of("baby-groot")["blocks.0.attn.pattern"], head=0)


def fitted(matrix, room=ROOM):
    """The matrix in the size that it asks for."""
    with styled():
        extent = matrix_extent(matrix, room)
    return drawn(matrix, extent.width, extent.height)


def noise(rows, columns, **sides):
    values = np.random.default_rng(0).normal(size=(rows, columns))
    return Matrix("T", values, Axis("position"), Axis("d_model"), **sides)


def test_numbers_labels_and_words_are_those_of_the_tensor():
    tensor = trace_of("baby-groot")["blocks.0.attn.q"]
    axes = fitted(Matrix.of(tensor, head=0))
    np.testing.assert_array_equal(numbers_of(axes), tensor.values[0])
    written = [float(text.get_text()) for text in axes.texts[: tensor.values.size]]
    np.testing.assert_allclose(written, tensor.values[0].ravel(), atol=6e-4)
    assert [text.get_text() for text in axes.get_yticklabels()] == list(tensor.labels["position"])
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("position", "d_head")
    assert axes.get_title(loc="left").replace("\n", " ") == f"{tensor.title}, head 0"
    assert any(tensor.name in text and tensor.equation in text for text in texts(axes))
    (bar,) = axes.child_axes
    assert bar.get_ylim()[1] == pytest.approx(np.abs(tensor.values).max())


def test_a_pattern_is_drawn_with_square_cells_where_numbers_do_not_fit():
    weights = np.tril(np.ones((64, 64)))
    weights /= weights.sum(axis=1, keepdims=True)
    axes = fitted(Matrix("A", weights, Axis("query"), Axis("key"), kind="probability"))
    assert axes.bbox.width == pytest.approx(axes.bbox.height)
    assert texts(axes) == []


@pytest.mark.parametrize("shape", [(1, 1), (1, 768), (768, 1), (4, 8), (30, 64), (300, 3072)])
def test_it_asks_for_no_more_room_than_there_is(shape):
    for kind in ("signed", "plain"):
        matrix = noise(*shape, kind=kind)
        axes = fitted(matrix)
        assert axes.bbox.width * 72 / figure_of(axes).dpi + margins_of(axes).across <= ROOM + 25
        assert axes.bbox.height * 72 / figure_of(axes).dpi <= 60 * 9
        assert_nothing_overlaps(figure_of(axes))


def test_too_large_a_matrix_is_thinned_and_says_so():
    matrix = noise(4, 3072, note="A note of the view.")
    axes = fitted(matrix)
    shown = numbers_of(axes)
    step = 3072 // shown.shape[1] + (3072 % shown.shape[1] > 0)
    np.testing.assert_array_equal(shown, matrix.values[:, ::step])
    (note,) = texts(axes)
    assert note.startswith(f"Shown: every {step}th along d_model (of 3,072).")
    assert note.endswith("A note of the view.")


def test_numbers_without_colours_are_always_written_and_reduced_to_their_edges():
    ids = np.arange(2000).reshape(1000, 2)
    axes = fitted(Matrix("Ids", ids, Axis("pair"), Axis("position"), kind="ids"))
    rows = [label.get_text() for label in axes.get_yticklabels()]
    gap = rows.index("⋮")
    assert rows[:gap] == [str(index) for index in range(gap)]
    assert rows[-1] == "999"
    cells = [text.get_text() for text in axes.texts[: 2 * len(rows)]]
    assert cells[:4] == ["0", "1", "2", "3"]
    assert cells[-1] == "1999"
    assert cells.count("⋮") == 2
    assert texts(axes)[-1].startswith("Shown:")
    assert axes.child_axes == []


def test_a_limit_makes_matrices_comparable():
    one = fitted(noise(3, 4, limit=9.0))
    (bar,) = one.child_axes
    assert bar.get_ylim() == (-9.0, 9.0)


def test_a_number_by_itself_is_drawn():
    axes = fitted(Matrix.of(trace_of("baby-groot")["loss"]))
    assert float(axes.texts[0].get_text()) == pytest.approx(trace_of("baby-groot").loss, rel=1e-5)


def test_labels_may_hold_anything():
    size = len(HOSTILE)
    axis = Axis("position", HOSTILE)
    matrix = replace(noise(size, size), rows=axis, columns=replace(axis, dim="key"))
    for room in (200.0, ROOM):
        assert_nothing_overlaps(figure_of(fitted(matrix, room)))


def worded(rows, columns, word, **more):
    values = np.random.default_rng(0).random((rows, columns))
    return Matrix(
        "T", values, Axis("after"), Axis("position"), kind="probability",
        words=((word,) * columns,) * rows, **more,
    )  # fmt: skip


def test_words_stand_in_cells_in_place_of_numbers():
    matrix = worded(3, 4, " oak")
    axes = fitted(matrix)
    np.testing.assert_array_equal(numbers_of(axes), matrix.values)
    assert [text.get_text() for text in axes.texts[:12]] == ["␣oak"] * 12


@pytest.mark.parametrize("word", ["a word that is longer than its cell", *HOSTILE])
@pytest.mark.parametrize("columns", [2, 12])
def test_words_are_shortened_to_their_cells(word, columns):
    axes = fitted(worded(3, columns, word))
    assert_nothing_overlaps(axes.figure)


def test_where_cells_are_too_small_for_words_colours_are_left():
    assert texts(fitted(worded(200, 60, "oak"))) == []
