"""A recipe for text is checked when it is made, and is data."""

from typing import Any

import msgspec
import pytest

from pellucid.decoder.presets import PRESETS
from pellucid.errors import PellucidError
from pellucid.training.text_recipe import (
    TEXT_RECIPES,
    TextRecipe,
    changed,
    default_text_recipe,
    text_recipe,
)

PLAIN = TextRecipe(steps=1000, batch_size=8, learning_rate=1e-3)


@pytest.mark.parametrize("name", TEXT_RECIPES)
def test_a_recipe_belongs_to_the_preset_of_its_name(name):
    assert name in PRESETS
    assert text_recipe(name) == default_text_recipe(name) == TEXT_RECIPES[name]


def test_other_shapes_have_that_of_nano():
    assert default_text_recipe("gpt2") == default_text_recipe(object()) == TEXT_RECIPES["nano"]


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(PellucidError, match=r'no recipe "nanno" for text\. Did you mean nano'):
        text_recipe("nanno")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("steps", 1.5),
        ("batch_size", 0),
        ("accumulate", 0),
        ("warmup", -1),
        ("every", 0),
        ("schedule", "cosin"),
        ("learning_rate", 0),
        ("learning_rate", float("inf")),
        ("dropout", 1),
        ("dropout", -0.1),
        ("clip", -1),
        ("weight_decay", -1),
        ("beta1", 1),
        ("beta2", True),
        ("epsilon", 0),
        ("validation", 1),
    ],
)
def test_what_cannot_be_is_refused_with_its_name_and_value(name, value):
    changes: dict[str, Any] = {name: value}
    with pytest.raises(PellucidError, match=f"{name}={value!r}"):
        changed(PLAIN, **changes)


def test_a_part_has_at_least_one_window():
    assert changed(PLAIN, accumulate=8).accumulate == 8
    with pytest.raises(PellucidError, match=r"accumulate=9 parts of a batch_size=8 .* at most 8"):
        changed(PLAIN, accumulate=9)


def test_a_short_recipe_has_a_short_warm_up_unless_one_is_asked_for():
    assert changed(PLAIN, steps=2000).warmup == 100
    assert changed(PLAIN, steps=200).warmup == 20
    assert changed(PLAIN, steps=5).warmup == 0
    assert changed(PLAIN, steps=200, warmup=150).warmup == 150


def test_a_recipe_survives_json():
    for recipe in TEXT_RECIPES.values():
        assert msgspec.json.decode(msgspec.json.encode(recipe), type=TextRecipe) == recipe
