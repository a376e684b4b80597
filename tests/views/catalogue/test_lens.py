"""The lens in view: the likeliest token everywhere, and how the guess after one token grows."""

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.views.catalogue.lens import MOST_PLACES
from pellucid.views.numbers import percent
from pellucid.views.scene import Curve, Matrix, Table
from tests.small_models import OPTIONS, SMALL, WORDS, small_model
from tests.views.catalogue.given import view

TEXT = "oak ash fir"


@pytest.fixture(scope="module")
def reading():
    return pellucid.lens(small_model(tokenizer=WORDS), TEXT, follow=["fir"])


@pytest.fixture(scope="module")
def deep():
    model = pellucid.Model.from_config(SMALL.replace(n_layer=MOST_PLACES), WORDS)
    return pellucid.lens(model, TEXT)


@pytest.mark.parametrize("option", OPTIONS)
def test_each_cell_names_the_likeliest_token_and_its_probability(option):
    reading = pellucid.lens(small_model(option, tokenizer=WORDS), TEXT)
    (matrix,) = view("lens", reading)
    assert isinstance(matrix, Matrix)
    assert matrix.rows.labels == reading.place_words
    assert matrix.columns.labels == reading.tokens
    assert matrix.words is not None
    for row, place in enumerate(reading.places):
        logits = reading.logits(place).values
        assert matrix.words[row] == tuple(WORDS.tokens[id] for id in logits.argmax(axis=-1))
        assert np.array_equal(matrix.values[row], reading.probs[row, :, 0])


def test_of_many_blocks_the_output_of_each_is_shown(deep):
    (matrix,) = view("lens", deep)
    assert matrix.rows.labels == ("embedding", *(f"block {i}" for i in range(MOST_PLACES)))
    assert np.array_equal(matrix.values[-1], deep.probs[-1, :, 0])
    assert np.array_equal(matrix.values[1], deep.probs[2, :, 0])
    assert deep.places[2] == "blocks.0.resid_post"
    (whole,) = view("lens", deep, halves=True)
    assert len(whole.values) == len(deep.places)
    _, table = view("lens_at", deep)
    assert [row[0] for row in table.rows] == list(matrix.rows.labels)


def test_the_guess_grows_from_the_embedding_to_the_end(reading):
    curve, table = view("lens_at", reading, position="ash")
    assert isinstance(curve, Curve)
    answer = reading.token(int(reading.followed[2, 0]))
    assert [series.name for series in curve.series] == [answer, "fir"]
    assert np.array_equal(curve.series[0].y, reading.followed_probs[:, 2, 0].astype(np.float64))
    halves = curve.series[1].x
    assert halves is not None
    assert halves.tolist() == [0, 0.5, 1, 1.5, 2]
    assert isinstance(table, Table)
    for row, cells in enumerate(table.rows):
        place, likeliest, share, rank, away, unsure = cells
        assert place == reading.place_words[row]
        first = reading.token(int(reading.likeliest[row, 2, 0]))
        assert str(likeliest).startswith(f"{first} {percent(reading.probs[row, 2, 0])}")
        assert share == percent(reading.followed_probs[row, 2, 0])
        assert rank == reading.followed_ranks[row, 2, 0]
        assert (away, unsure) == (reading.divergence[row, 2], reading.entropy[row, 2])
    assert table.rows[-1][3:5] == (1, 0)


def test_a_token_that_is_the_answer_and_followed_is_drawn_once(reading):
    answer = int(reading.followed[-1, 0])
    both = pellucid.lens(reading.model, TEXT, follow=[answer, "elm"])
    curve, _ = view("lens_at", both)
    assert [series.name for series in curve.series] == [reading.token(answer), "elm"]
    for series, column in zip(curve.series, (0, 2), strict=True):
        assert np.array_equal(series.y, both.followed_probs[:, -1, column].astype(np.float64))


def test_a_position_that_is_not_there_is_refused(reading):
    with pytest.raises(PellucidError, match='no "elm" along position'):
        view("lens_at", reading, position="elm")
