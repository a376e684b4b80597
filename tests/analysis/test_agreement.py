"""An estimate beside what was measured."""

import json
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pytest

from pellucid.analysis.attribution import attribution_patching
from pellucid.analysis.patch import patch
from pellucid.errors import PellucidError
from tests.analysis.contrasts import model_of

PROMPTS: dict[str, Any] = {
    "clean": "oak ash fir",
    "corrupted": "oak elm fir",
    "answer": ("oak", "ash"),
}


@pytest.fixture(scope="module")
def measured():
    return patch(model_of(), **PROMPTS, places="heads")


@pytest.fixture(scope="module")
def estimated():
    return attribution_patching(model_of(), **PROMPTS, places="heads")


def test_the_correlation_is_over_all_places(measured, estimated):
    found = measured.agreement(estimated)
    a, b = (each.values.ravel() - each.values.mean() for each in (measured, estimated))
    assert found.correlation == pytest.approx((a @ b) / np.sqrt((a @ a) * (b @ b)), abs=1e-12)
    assert measured.agreement(measured).correlation == pytest.approx(1, abs=1e-12)
    away = measured.agreement(estimated).largest_error
    assert away == np.abs(estimated.values - measured.values).max()


def test_what_is_the_same_everywhere_correlates_with_nothing(measured):
    flat = replace(measured, differences=np.full(measured.differences.shape, measured.clean))
    found = measured.agreement(flat)
    assert isnan(found.correlation)
    assert found.to_dict()["correlation"] is None


def test_the_top_places_are_those_that_were_measured_each_with_its_estimate(measured, estimated):
    found = measured.agreement(estimated).top(5)
    assert [place for place, _ in found] == list(measured.top(5))
    for place, estimate in found:
        assert estimate == estimated.values[place.layer, place.column]


def test_it_is_plain_data(measured, estimated):
    data = json.loads(json.dumps(measured.agreement(estimated).to_dict()))
    assert data["measured"] == json.loads(json.dumps(measured.to_dict()))
    assert data["estimated"]["method"] == "gradient"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"places": "stream"}, "of different places"),
        ({"answer": ("ash", "oak")}, "of different prompts or answers"),
        ({"corrupted": "oak oak fir"}, "of different prompts or answers"),
    ],
)
def test_only_the_same_question_can_be_compared(measured, change, said):
    other = patch(model_of(), **{**PROMPTS, "places": "heads", **change})
    with pytest.raises(PellucidError, match=said):
        measured.agreement(other)
