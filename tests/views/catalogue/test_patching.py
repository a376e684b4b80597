"""A patching as a matrix: layers by heads, tokens by layers, and its own numbers."""

from typing import Any

import numpy as np
import pytest

from pellucid.analysis.attribution import attribution_patching
from pellucid.analysis.patch import patch
from pellucid.views.catalogue.patching import patching
from pellucid.views.scene import Axis, Matrix
from tests.small_models import WORDS, small_model

PROMPTS: dict[str, Any] = {
    "clean": "oak ash fir",
    "corrupted": "oak elm fir",
    "answer": ("oak", "ash"),
}
TOKENS = ("<START>", "oak", "ash/elm", "fir")


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


def matrix(found):
    (block,) = patching(found)
    assert isinstance(block, Matrix)
    return block


def test_heads_stand_across_and_layers_down(model):
    found = patch(model, **PROMPTS, places="heads")
    drawn = matrix(found)
    np.testing.assert_array_equal(drawn.values, found.values)
    assert (drawn.rows, drawn.columns) == (
        Axis("layer", ("0", "1")),
        Axis("head", ("0", "1", "2", "3")),
    )
    assert drawn.title == "Share of the difference restored by each head"


def test_tokens_stand_down_and_layers_across(model):
    found = patch(model, **PROMPTS)
    drawn = matrix(found)
    np.testing.assert_array_equal(drawn.values, found.values.T)
    assert (drawn.rows, drawn.columns) == (Axis("position", TOKENS), Axis("layer", ("0", "1")))


def test_what_stands_in_no_block_has_its_name(model):
    assert matrix(patch(model, **PROMPTS, places="embed.out")).columns == Axis("", ("embed.out",))
    assert matrix(patch(model, **PROMPTS, places="blocks.1.attn.q")).rows == Axis("layer", ("1",))


def test_an_estimate_is_called_one(model):
    found = attribution_patching(model, **PROMPTS, places="attn.q")
    assert matrix(found).title == "Share of the difference estimated for attn.q"


def test_there_are_more_decimals_where_no_share_is_large(model):
    found = patch(model, **PROMPTS, places="heads")
    assert np.abs(found.values).max() > 0.1
    assert matrix(found).decimals == 2
    far = found.corrupted + 0.01 * (found.differences - found.corrupted)
    small = type(found)(
        found.contrast, found.places, found.method, found.clean, found.corrupted, far
    )
    assert matrix(small).decimals == 3
