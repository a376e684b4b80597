"""A recipe is checked when it is made, cannot be changed, and is found by its name."""

from typing import Any

import msgspec
import pytest

from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.training.recipes import RECIPES, Recipe, default_recipe, recipe

GOOD: dict[str, Any] = {"epochs": 3, "batch_size": 4, "learning_rate": 0.1}
BAD = {
    "epochs": (0, -1, 2.5, True, "3"),
    "batch_size": (0, -4, 1.5),
    "warm_up_steps": (-1, 0.5),
    "learning_rate": (0, -0.1, float("nan"), float("inf"), "fast"),
    "epsilon": (0.0, -1e-8),
    "beta1": (-0.1, 1.0, float("nan")),
    "beta2": (-0.1, 1.0),
    "weight_decay": (-0.1, float("inf")),
    "schedule": ("cosin", "Linear"),
    "optimizer": ("sgd", "Adam"),
}


def test_the_notebook_recipe_is_the_first_seeds():
    found = recipe("notebook")
    assert (found.epochs, found.batch_size, found.optimizer) == (500, 16, "adam")
    assert (found.learning_rate, found.schedule, found.warm_up_steps) == (0.01, "constant", 0)
    assert (found.beta1, found.beta2, found.epsilon) == (0.9, 0.999, 1e-8)  # torch's own
    assert (found.weight_decay, found.initialisation) == (0, "torch")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_found_by_its_name(name):
    assert recipe(name) is RECIPES[name]


def test_an_unknown_name_is_answered_with_near_ones_and_all():
    with pytest.raises(PellucidError, match=r'no recipe "notebok"\. Did you mean notebook\?'):
        recipe("notebok")
    with pytest.raises(PellucidError, match="There are notebook, default"):
        recipe("zzz")


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD.items() for value in values]
)
def test_what_cannot_be_is_refused_with_its_name_and_value(name, value):
    options = GOOD | {"optimizer": "adamw"} | {name: value}
    with pytest.raises(PellucidError, match=f"{name}={value!r}"):
        Recipe(**options)


def test_decay_without_an_optimizer_that_decays_is_refused():
    with pytest.raises(PellucidError, match=r"weight_decay=0\.1 does nothing with .*\"adam\""):
        Recipe(**GOOD, weight_decay=0.1)
    Recipe(**GOOD, weight_decay=0.1, optimizer="adamw")


def test_unknown_fields_are_refused():
    with pytest.raises(TypeError):
        Recipe(**GOOD | {"momentum": 0.9})


def test_a_recipe_cannot_be_changed_but_copied_with_changes():
    made = Recipe(**GOOD)
    with pytest.raises(AttributeError):
        made.epochs = 7  # type: ignore[misc]
    assert msgspec.structs.replace(made, epochs=7) == Recipe(**GOOD | {"epochs": 7})


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_survives_json(name):
    written = msgspec.json.encode(RECIPES[name])
    assert msgspec.json.decode(written, type=Recipe) == RECIPES[name]


def test_the_default_rate_falls_with_the_width_and_nothing_else_changes():
    groot = default_recipe(preset("baby-groot"))
    wide = default_recipe(preset("nano"))
    assert groot == RECIPES["default"]
    assert wide.learning_rate == groot.learning_rate / (128 / 8)
    assert msgspec.structs.replace(wide, learning_rate=groot.learning_rate) == groot
