"""What a patching says: shares of the difference, the largest places, and plain data."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pellucid.analysis.patch import patch
from tests.analysis.contrasts import model_of

PROMPTS: dict[str, Any] = {
    "clean": "oak ash fir",
    "corrupted": "oak elm fir",
    "answer": ("oak", "ash"),
}


@pytest.fixture(scope="module")
def stream():
    return patch(model_of(), **PROMPTS)


@pytest.fixture(scope="module")
def heads():
    return patch(model_of(), **PROMPTS, places="heads")


def test_values_are_0_at_the_corrupted_difference_and_1_at_the_clean_one(stream):
    ends = replace(stream, differences=np.array([[stream.corrupted, stream.clean]]))
    assert ends.values.tolist() == [[0, 1]]
    back = stream.corrupted + stream.values * (stream.clean - stream.corrupted)
    np.testing.assert_allclose(back, stream.differences, rtol=0, atol=1e-12)


def test_it_cannot_be_written_to(stream):
    with pytest.raises(ValueError, match="read-only"):
        stream.differences[0, 0] = 1


def test_the_top_places_move_the_difference_most_whichever_way(heads):
    places = heads.top(None)
    assert len(places) == heads.values.size
    sizes = [abs(place.value) for place in places]
    assert sizes == sorted(sizes, reverse=True)
    assert heads.top(3) == places[:3]
    for place in places:
        assert place.name == f"blocks.{place.layer}.attn.z"
        assert place.value == heads.values[place.layer, place.column]
        assert place.difference == heads.differences[place.layer, place.column]
        assert place.label == str(place.column)


def test_positions_are_called_by_their_tokens(stream):
    assert stream.column_labels == ("<START>", "oak", "ash/elm", "fir")
    assert {place.label for place in stream.top(None)} == set(stream.column_labels)


def test_pandas_has_a_row_for_each_tensor(heads):
    frame = heads.to_pandas()
    assert frame.index.tolist() == ["blocks.0.attn.z", "blocks.1.attn.z"]
    assert (frame.index.name, frame.columns.name) == ("tensor", "head")
    np.testing.assert_array_equal(frame.to_numpy(), heads.values)
    together = patch(model_of(), **PROMPTS, together=True).to_pandas()
    assert together.columns.tolist() == ["all"]


def test_json_has_everything_that_is_shown(stream):
    data = json.loads(json.dumps(stream.to_dict()))
    assert data["clean"]["tokens"] == ["<START>", "oak", "ash", "fir"]
    assert data["answer"]["token"] == "oak"
    assert data["instead"]["token"] == "ash"
    assert data["rows"] == ["blocks.0.resid_pre", "blocks.1.resid_pre"]
    assert data["dim"] == "position"
    np.testing.assert_array_equal(data["values"], stream.values)
    np.testing.assert_array_equal(data["differences"], stream.differences)
    assert (data["clean_difference"], data["corrupted_difference"]) == (
        stream.clean,
        stream.corrupted,
    )
