"""A model at a glance: its patterns, and the stream from the embeddings to the end."""

import numpy as np
import pytest

from pellucid.decoder.stream import states_of_block
from pellucid.model.model import Model
from tests.small_models import SMALL, random_parameters
from tests.traces import MODELS
from tests.views.catalogue.given import trace_of, view


@pytest.mark.parametrize("name", MODELS)
def test_every_head_s_pattern_stands_in_its_block_s_row(name):
    trace = trace_of(name)
    (panels,) = view("heads", trace)
    for block, patterns in enumerate(panels.values):
        assert np.array_equal(patterns, trace[f"blocks.{block}.attn.pattern"].values)
    assert panels.inner_rows.labels == panels.inner_columns.labels == trace.tokens


@pytest.mark.parametrize("name", MODELS)
def test_the_stream_is_followed_from_what_enters_to_what_the_last_block_hands_on(name):
    trace = trace_of(name)
    (curve,) = view("stream_norms", trace)
    last = trace.config.n_layer - 1
    end = states_of_block(trace.config)[-1]
    for place, series in enumerate(curve.series):
        assert series.x[0] == 0
        assert series.x[-1] == trace.config.n_layer
        for index, tensor in ((0, "embed.out"), (-1, f"blocks.{last}.{end}")):
            vector = trace[tensor].values[place]
            assert series.y[index] == pytest.approx(np.linalg.norm(vector))
        assert series.name == f"{place} {trace.tokens[place]}"


def test_of_many_tokens_the_ends_are_drawn_and_the_median_of_the_others():
    trace = trace_of("four heads", positions=8)
    (curve,) = view("stream_norms", trace)
    first, middle, last = curve.series
    lengths = np.linalg.norm(trace["embed.out"].values, axis=-1)
    assert [series.y[0] for series in (first, last)] == pytest.approx(lengths[[0, -1]])
    assert middle.y[0] == pytest.approx(np.median(lengths[1:-1]))
    assert middle.name == "median of 1 to 6"


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_a_vector_whose_squares_are_no_numbers_has_its_length(size):
    parameters = {
        name: np.full_like(values, size) for name, values in random_parameters(SMALL).items()
    }
    with np.errstate(all="ignore"):
        trace = Model(SMALL, parameters).trace(ids=[1, 2])
    (curve,) = view("stream_norms", trace)
    lengths = 2 * size * np.sqrt(SMALL.n_embd)
    assert [series.y[0] for series in curve.series] == pytest.approx([lengths] * 2)
