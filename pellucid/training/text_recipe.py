"""TextRecipe: how to train on running text, step by step through windows of it."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from pellucid.errors import PellucidError, did_you_mean
from pellucid.training.checks import (
    check_count,
    check_number,
    check_word,
    not_negative,
    positive,
    share,
)
from pellucid.training.schedules import Shape

Keep = Literal["best", "last"]


class TextRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides a training but the text, the model's shape and the seed.

    Raises:
        PellucidError: a count is too small, a number is out of range, or a word is unknown.
    """

    steps: int
    """How many times the optimizer moves the parameters."""
    batch_size: int
    """Windows per step, over all of `accumulate`."""
    learning_rate: float
    """The highest; `schedule` says what becomes of it."""
    accumulate: int = 1
    """How many parts a batch is run in: more take less memory and give the same gradients."""
    schedule: Shape = "cosine"
    warmup: int = 100
    """Steps in which the rate rises to its highest."""
    dropout: float = 0.0
    """The share of numbers left out at random."""
    clip: float = 1.0
    """The longest that the gradient of all parameters together may be; 0 for any length."""
    weight_decay: float = 0.1
    """On matrices alone."""
    beta1: float = 0.9
    beta2: float = 0.99
    epsilon: float = 1e-8
    validation: float = 0.1
    """The share of the text, its end, that is not trained on; 0 for none."""
    every: int = 250
    """Steps from one validation, checkpoint and sample to the next."""
    keep: Keep | None = None
    """Which model the run is in the end: the best by validation, or the last. Unless it says, a
    training from fresh weights keeps the last where the text is so short that it is learned by
    heart (see `preparation.BY_HEART`), and every other one the best."""
    initialisation: str = "gpt2"

    def __post_init__(self) -> None:
        for name, least in COUNTS:
            check_count(name, getattr(self, name), least)
        check_word("schedule", self.schedule, get_args(Shape))
        if self.keep is not None:
            check_word("keep", self.keep, get_args(Keep))
        for name, fits, needed in RANGES:
            check_number(name, getattr(self, name), fits, needed)
        if self.accumulate > self.batch_size:
            raise PellucidError(
                f"accumulate={self.accumulate} parts of a batch_size={self.batch_size} would be "
                f"less than one window each: at most {self.batch_size}."
            )


COUNTS = (("steps", 1), ("batch_size", 1), ("accumulate", 1), ("warmup", 0), ("every", 1))
RANGES = (
    ("learning_rate", positive, "above 0"),
    ("dropout", share, "from 0 to below 1"),
    ("clip", not_negative, "not below 0"),
    ("weight_decay", not_negative, "not below 0"),
    ("beta1", share, "from 0 to below 1"),
    ("beta2", share, "from 0 to below 1"),
    ("epsilon", positive, "above 0"),
    ("validation", share, "from 0 to below 1"),
)


TEXT_RECIPES: dict[str, TextRecipe] = {
    # On two cores some two minutes, half an hour, and an evening. The larger two are for texts of
    # megabytes: on the embedded stories they soon know by heart what they are trained on.
    "nano": TextRecipe(steps=2500, batch_size=12, learning_rate=2e-3),
    "micro": TextRecipe(steps=5000, batch_size=16, learning_rate=1e-3, dropout=0.1),
    "mini": TextRecipe(
        steps=3000, batch_size=16, accumulate=2, learning_rate=1e-3, beta2=0.95, dropout=0.2
    ),
}


def text_recipe(name: str) -> TextRecipe:
    """The recipe of that name.

    Raises:
        PellucidError: there is none; near names are offered.
    """
    if name not in TEXT_RECIPES:
        near = did_you_mean(name, TEXT_RECIPES)
        known = ", ".join(TEXT_RECIPES)
        raise PellucidError(f'There is no recipe "{name}" for text.{near} There are {known}.')
    return TEXT_RECIPES[name]


def default_text_recipe(preset: object) -> TextRecipe:
    """The recipe that belongs to a preset; nano's for every other shape."""
    return TEXT_RECIPES.get(preset if isinstance(preset, str) else "", TEXT_RECIPES["nano"])


def changed(recipe: TextRecipe, **changes: object) -> TextRecipe:
    """The recipe with some settings changed.

    Where it becomes so short that the warm-up would take more than a tenth of it, the warm-up is
    a tenth, unless one is asked for.
    """
    changed = msgspec.structs.replace(recipe, **changes)
    if "warmup" in changes or changed.warmup <= changed.steps // 10:
        return changed
    return msgspec.structs.replace(changed, warmup=changed.steps // 10)
