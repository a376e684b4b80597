"""Paths list components by size, add them up, and are plain data."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from pellucid.trace.paths import Path, Paths, by_size
from tests.small_models import WORDS, small_model


@pytest.fixture(scope="module")
def trace():
    return small_model(tokenizer=WORDS).trace("moss oak ash")


@pytest.fixture(scope="module")
def paths(trace):
    return trace.paths("logits", position=-1, vocab="oak")


def path(contribution):
    return Path("blocks.0 head 1", "blocks.0.attn.z", 0, 1, contribution)


def test_the_largest_come_first_whatever_their_sign(paths):
    sizes = [abs(each.contribution) for each in paths.components]
    assert sizes == sorted(sizes, reverse=True)
    assert min(each.contribution for each in paths.components) < 0


def test_equal_ones_stay_in_order_and_what_is_no_number_leads():
    paths = [path(1.0), path(-1.0), path(float("nan")), path(-2.0)]
    assert by_size(paths) == (paths[2], paths[3], paths[0], paths[1])


@pytest.mark.parametrize("top", [0, 1, 7, 18, 99, None])
def test_the_largest_and_the_rest_make_the_total(trace, top):
    paths = trace.paths("logits", position=-1, vocab="oak", top=top)
    assert len(paths.components) == 18
    assert paths.top() == paths.components[:top]
    shown = sum(each.contribution for each in paths.top())
    assert shown + paths.rest == pytest.approx(paths.total, abs=1e-12)
    if top in (18, 99, None):
        assert paths.rest == 0
    if top == 0:
        assert paths.rest == paths.total


def test_another_number_of_the_largest_can_be_looked_at(paths):
    assert len(paths.top()) == 10
    assert paths.top(3) == paths.components[:3]
    assert paths.top(0) == ()


def test_the_sum_forgets_no_small_component(paths):
    many = (path(1e16), *[path(1.0)] * 8, path(-1e16))
    assert replace(paths, components=many).total == 8


def test_rounding_is_allowed_for_by_the_largest_component(paths):
    largest = abs(paths.components[0].contribution)
    assert paths.tolerance == 1e-10 * largest
    assert replace(paths, dtype="float32").tolerance == 1e-4 * largest


def test_the_error_is_that_of_the_sum(paths):
    wrong = replace(paths, value=paths.total - 0.5)
    assert wrong.error == pytest.approx(0.5)
    assert abs(wrong.error) > wrong.tolerance
    assert abs(paths.error) <= paths.tolerance


def test_paths_are_plain_data(trace):
    paths = trace.paths("logits", position=-1, vocab="oak", minus="fir", top=2)
    data = json.loads(json.dumps(paths.to_dict(), allow_nan=False))
    assert data["name"] == "logits"
    assert data["cell"] == {"position": 3, "vocab": WORDS.tokens.index("oak")}
    assert data["minus"] == {"position": 3, "vocab": WORDS.tokens.index("fir")}
    assert (data["where"], data["minus_where"]) == ("ash, oak", "ash, fir")
    assert (data["value"], data["total"], data["error"]) == (
        paths.value,
        paths.total,
        paths.error,
    )
    assert data["norms"] == ["final_norm"]
    first = paths.components[0]
    assert data["components"][0] == {
        "component": first.component,
        "name": first.name,
        "block": first.block,
        "head": first.head,
        "contribution": first.contribution,
    }
    assert len(data["components"]) == 2
    assert data["rest"] == {"components": 16, "contribution": paths.rest}


def test_numbers_that_json_has_not_are_words(paths):
    infinite = replace(paths, value=-np.inf, components=(path(-np.inf), path(float("nan"))))
    data = json.loads(json.dumps(infinite.to_dict(), allow_nan=False))
    assert data["value"] == "-Infinity"
    assert [each["contribution"] for each in data["components"]] == ["-Infinity", "NaN"]
    assert data["total"] == "NaN"


def test_without_a_difference_nothing_is_subtracted(paths):
    assert paths.minus is None
    assert paths.to_dict()["minus"] is None


def test_paths_never_change(paths):
    with pytest.raises(FrozenInstanceError):
        paths.value = 0.0
    with pytest.raises(FrozenInstanceError):
        paths.components[0].contribution = 0.0


def test_paths_print_as_bars(paths):
    assert isinstance(paths, Paths)
    text = repr(paths)
    assert "logits[ash, oak]" in text
    for each in paths.top():
        assert each.component in text
    assert "8 more" in text
