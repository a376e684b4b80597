"""What a page carries: weights where they are few, else a trace, and nothing where a server is."""

import base64
import json

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.views.explorer import data
from pellucid.views.explorer.data import page_data
from pellucid.views.explorer.packing import pack

PROMPT = "i am groot"


@pytest.fixture(scope="module")
def groot():
    return pellucid.load("baby-groot")


@pytest.fixture(scope="module")
def trace(groot):
    return groot.trace(PROMPT, target="groot")


def read(slot, numbers):
    """An array from its place."""
    flat = np.frombuffer(base64.b64decode(numbers), "<f4")
    size = int(np.prod(slot["shape"]))
    return flat[slot["offset"] : slot["offset"] + size].reshape(slot["shape"])


def test_a_live_page_carries_the_weights_and_no_trace(groot, trace):
    page = page_data(trace, title="groot", prompt=PROMPT, tokenizer=groot.tokenizer)
    assert page["trace"] is None
    held = page["parameters"]
    assert set(held["slots"]) == set(trace.parameters)
    for name, slot in held["slots"].items():
        np.testing.assert_array_equal(read(slot, held["bytes"]), trace.parameters[name].values)
        assert len(slot["dims"]) == len(slot["shape"])
    assert page["prompt"] == {"text": PROMPT, "ids": [1, 11, 3, 8]}
    assert page["vocabulary"] == list(trace.vocabulary)
    assert json.loads(json.dumps(page, allow_nan=False))


def test_a_large_models_page_carries_the_trace_with_its_gradients(trace, monkeypatch):
    monkeypatch.setattr(data, "MOST_LIVE", 100)
    page = page_data(trace, title="groot")
    assert page["parameters"]["bytes"] is None
    stored = page["trace"]
    for name in trace.names:
        np.testing.assert_array_equal(
            read(stored["values"][name], stored["bytes"]), trace[name].values
        )
    of_tensors = {*trace.gradients} - {*trace.parameters}
    assert of_tensors == {*stored["gradients"]}
    for name in of_tensors:
        gradient = trace.gradients[name]
        np.testing.assert_array_equal(read(stored["gradients"][name], stored["bytes"]), gradient)


def test_what_a_page_cannot_hold_is_said_with_what_to_do(trace, monkeypatch):
    monkeypatch.setattr(data, "MOST_LIVE", 100)
    monkeypatch.setattr(data, "MOST_STORED", 1000)
    with pytest.raises(PellucidError, match="pellucid explore"):
        page_data(trace, title="groot")


def test_where_a_server_computes_a_page_carries_no_numbers(trace):
    page = page_data(trace, title="groot", server="/")
    assert (page["trace"], page["parameters"]["bytes"], page["server"]) == (None, None, "/")


def test_arrays_lie_one_after_the_other_row_by_row():
    arrays = {"a": np.arange(6.0).reshape(2, 3).T, "b": np.array(7.0), "c": np.zeros((0, 2))}
    slots, numbers = pack(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(read(slots[name], numbers), array)
    assert pack({}) == ({}, "")
