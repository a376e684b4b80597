"""Tensors as labelled arrays and tables: the same numbers under the same names."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from pellucid.errors import PellucidError
from pellucid.trace.cell import find_label
from pellucid.trace.tensor import TracedTensor
from tests.small_models import OPTIONS, WORDS, small_model


@pytest.fixture(scope="module")
def trace():
    return small_model("one head", tokenizer=WORDS).trace("moss oak ash", target="next")


@pytest.fixture(scope="module")
def twice():
    model = small_model("one head", tokenizer=WORDS)
    return model.trace("oak ash oak", target="next")


def test_a_labelled_array_is_the_tensor(trace):
    for name in (*trace.names, *trace.parameters):
        tensor = trace[name]
        array = tensor.to_xarray()
        assert (array.name, array.dims, array.attrs["title"]) == (name, tensor.dims, tensor.title)
        np.testing.assert_array_equal(array.values, tensor.values)
        for dim, labels in tensor.labels.items():
            assert tuple(array.coords[dim].values) == labels


def test_a_labelled_array_is_asked_by_label(trace):
    pattern = trace["blocks.0.attn.pattern"]
    query, key = pattern.labels["query"][2], pattern.labels["key"][0]
    chosen = pattern.to_xarray().sel(query=query, key=key)
    np.testing.assert_array_equal(chosen.values, pattern.values[:, 2, 0])


def test_a_trace_stays_as_it_is(trace):
    array = trace["embed.out"].to_xarray()
    with pytest.raises(ValueError, match="copy"):
        array[0, 0] = 1.0
    frame = trace["embed.out"].to_pandas()
    before = trace["embed.out"].values.copy()
    frame.iloc[0, 0] = 77.0
    np.testing.assert_array_equal(trace["embed.out"].values, before)


@pytest.mark.parametrize("option", OPTIONS)
def test_a_dataset_holds_every_tensor(option):
    trace = small_model(option).trace(ids=[1, 4, 4, 2], target="next")
    dataset = trace.to_xarray()
    assert tuple(dataset) == trace.names
    for name in trace.names:
        np.testing.assert_array_equal(dataset[name].values, trace[name].values)


def test_a_table_has_the_last_dim_across_and_the_others_down(trace):
    pattern = trace["blocks.0.attn.pattern"]
    frame = pattern.to_pandas()
    assert (list(frame.index.names), frame.columns.name) == (["head", "query"], "key")
    np.testing.assert_array_equal(frame.to_numpy(), pattern.values[0])
    assert tuple(frame.loc[0].index) == pattern.labels["query"]

    embedded = trace["embed.out"].to_pandas()
    assert embedded.index.name == "position"
    np.testing.assert_array_equal(embedded.loc["ash"], trace["embed.out"].values[-1])

    losses = trace["loss.per_position"].to_pandas()
    assert isinstance(losses, pd.Series)
    assert tuple(losses.index) == trace.tokens
    assert trace["loss"].to_pandas().item() == trace.loss


def test_a_token_that_stands_twice_is_named_with_its_place(twice):
    pattern = twice["blocks.0.attn.pattern"]
    names = ["<START>", "oak@1", "ash", "oak@3"]
    array = pattern.to_xarray()
    assert list(array.coords["query"].values) == list(array.coords["key"].values) == names
    for place, name in enumerate(names):
        row = array.sel(query=name).values
        np.testing.assert_array_equal(row, pattern.values[:, place])
        assert find_label(pattern, "query", name) == place


def test_tables_with_repeated_tokens_can_be_stacked_and_written(twice):
    frame = twice["blocks.0.attn.pattern"].to_pandas()
    assert frame.stack().loc[0, "oak@3", "oak@1"] == frame.loc[(0, "oak@3"), "oak@1"]
    assert json.loads(frame.loc[0].to_json())["oak@1"].keys() == set(frame.columns)
    json.loads(twice["loss.per_position"].to_pandas().to_json())
    for name in twice.names:
        table = twice[name].to_pandas()
        assert all(each.is_unique for each in table.axes)


def test_names_differ_even_where_a_token_reads_like_another_with_its_place():
    labels = ("a", "b", "a", "a@0")
    tensor = TracedTensor("x", np.arange(4.0), ("position",), {"position": labels}, "", "")
    names = list(tensor.to_pandas().index)
    assert len(set(names)) == 4
    assert names[2] == "a@2"


def test_a_summary_says_how_the_numbers_of_each_tensor_spread(trace):
    summary = trace.to_pandas()
    assert tuple(summary.index) == trace.names
    for name in trace.names:
        values, row = trace[name].values, summary.loc[name]
        finite = values[np.isfinite(values)]
        assert (row["min"], row["max"]) == (finite.min(), finite.max())
        assert row["mean"] == pytest.approx(finite.mean(), abs=1e-12)
        assert row["std"] == pytest.approx(finite.std(), abs=1e-12)
        assert row["not_finite"] == values.size - finite.size
        assert row["shape"] == "×".join(map(str, values.shape))
    assert summary.loc["blocks.0.attn.masked_scores", "not_finite"] == 6


@pytest.mark.parametrize(
    ("library", "ask"),
    [
        ("xarray", lambda trace: trace.to_xarray()),
        ("xarray", lambda trace: trace["probs"].to_xarray()),
        ("pandas", lambda trace: trace.to_pandas()),
        ("pandas", lambda trace: trace["probs"].to_pandas()),
    ],
)
def test_a_library_that_is_not_there_is_named_with_its_extra(trace, library, ask, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(PellucidError, match=rf"needs {library}.*pellucid\[notebook\]"):
        ask(trace)
