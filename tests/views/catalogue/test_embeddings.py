"""The tables and their sum, and which rows of a long table are shown."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from tests.small_models import SMALL
from tests.views.catalogue.given import given, trace_of, view


def test_short_tables_are_shown_whole():
    (trace,) = given("trace")
    (tokens,), (places,) = view("token_table", trace), view("position_table", trace)
    assert np.array_equal(tokens.values, trace["token_embedding"].values)
    assert tokens.rows.labels == trace.vocabulary
    assert np.array_equal(places.values, trace["position_embedding"].values)
    assert tokens.note is None
    assert places.note is None


def test_of_long_tables_the_rows_of_the_prompt_are_shown():
    model = Model.from_config(SMALL.replace(vocab_size=1000, block_size=500))
    trace = model.trace(ids=[990, 7, 990, 30])
    (tokens,), (places,) = view("token_table", trace), view("position_table", trace)
    assert tokens.rows.labels == ("7", "30", "990")
    assert np.array_equal(tokens.values, trace["token_embedding"].values[[7, 30, 990]])
    assert tokens.note == "The 3 tokens of the prompt, of 1,000."
    assert np.array_equal(places.values, trace["position_embedding"].values[:4])
    assert places.note == "The 4 places of the prompt, of 500."


def test_positions_made_of_sines_are_shown_as_they_are_added():
    trace = trace_of("sinusoidal positions")
    (places,) = view("position_table", trace)
    assert np.array_equal(places.values, trace["embed.positions"].values)


def test_a_model_without_positions_has_no_table_of_them():
    with pytest.raises(PellucidError, match='position="none"'):
        view("position_table", trace_of("no positions"))


@pytest.mark.parametrize("name", ["baby-groot", "sinusoidal positions"])
def test_token_plus_position_is_the_input(name):
    (row,) = view("input_matrix", trace_of(name))
    token, position, total = (matrix.values for matrix in row.blocks)
    assert np.array_equal(token + position, total)
    assert np.array_equal(total, trace_of(name)["embed.out"].values)


def test_without_positions_the_input_is_the_tokens_rows():
    trace = trace_of("no positions")
    (matrix,) = view("input_matrix", trace)
    assert np.array_equal(matrix.values, trace["token_embedding"].values[list(trace.ids)])
