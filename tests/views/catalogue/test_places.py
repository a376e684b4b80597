"""Blocks, heads and positions that are not there are named, with those that are."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.views.catalogue import places
from tests.views.catalogue.given import given, trace_of, view, worded


def test_a_block_or_a_head_out_of_range_is_refused_with_the_range():
    trace = trace_of("as it is")
    with pytest.raises(PellucidError, match=r"block=2 is out of range: they go from 0 to 1\."):
        view("pattern", trace, block=2)
    with pytest.raises(PellucidError, match=r"head=-5 is out of range: they go from 0 to 3\."):
        view("pattern", trace, head=-5)
    with pytest.raises(PellucidError, match=r"head=1 is out of range: there is only head 0\."):
        view("pattern", *given("trace"), head=1)
    with pytest.raises(PellucidError, match=r"position=4 is out of range"):
        view("top_logits", *given("trace"), position=4)


def test_negative_places_count_from_the_end():
    trace = trace_of("as it is")
    (last,) = view("scores", trace, block=-1, head=-1)
    assert np.array_equal(last.values, trace["blocks.1.attn.scores"].values[3])
    assert last.name == "blocks.1.attn.scores"
    assert last.title.endswith("head 3")


@pytest.mark.parametrize("name", ["network", "top_logits", "probabilities"])
def test_a_position_may_be_named_by_its_token(name):
    (trace,) = given("trace")
    (named,), (counted,) = view(name, trace, position="am"), view(name, trace, position=2)
    assert named.title == counted.title
    assert "am" in named.title
    with pytest.raises(PellucidError, match=r'no "an".*am'):
        view(name, trace, position="an")


def test_a_place_that_is_no_number_is_refused():
    with pytest.raises(PellucidError, match=r"block='first' is not a whole number"):
        view("pattern", *given("trace"), block="first")


def test_a_lone_head_is_not_named():
    (lone,) = view("pattern", *given("trace"))
    assert "head" not in lone.title


def test_matrices_side_by_side_share_the_largest_finite_number():
    trace = trace_of("as it is")
    (row,) = view("first_residual", trace)
    largest = max(np.abs(matrix.values).max() for matrix in row.blocks)
    assert {matrix.limit for matrix in row.blocks} == {largest}
    assert places.magnitude(np.array([1.0, -2.0, np.inf, -np.inf, np.nan])) == 2
    assert places.magnitude(np.array([np.nan])) == 0


def test_a_long_prompt_is_quoted_from_its_end():
    assert places.text_of(worded(), 3) == "“<START> oak ash fir”"
    assert places.text_of(worded(), 2) == "“<START> oak ash”"
    letters = [*"abcdefghijklmnop"]
    assert places.quoted(letters) == " ".join(letters)
    assert places.quoted([*letters, "q"]) == f"… {' '.join(letters[1:])} q"
    assert places.quoted(["no", "w" * 5000]) == f"no {'w' * 9}…{'w' * 6}"
    assert places.quoted(["no", "w" * 18, "x" * 18]) == f"… {'x' * 18}"
