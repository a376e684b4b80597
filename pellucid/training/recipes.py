"""Recipe: everything that decides a training but the corpus, the model's shape and the seed."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from pellucid.decoder.config import ModelConfig
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

Optimizer = Literal["adam", "adamw"]

WIDTH_OF_DEFAULT = 8
"""The `n_embd` at which the default recipe's rate was found."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to train. `msgspec.structs.replace(recipe, epochs=50)` gives a changed copy.

    Raises:
        PellucidError: a count is not positive, a rate is out of range, or a word is unknown.
    """

    epochs: int
    """How many times every example is seen."""
    batch_size: int
    """Examples per step; the last batch of an epoch is as short as it must be."""
    learning_rate: float
    """The highest; `schedule` says what becomes of it."""
    schedule: Shape = "constant"
    warm_up_steps: int = 0
    optimizer: Optimizer = "adam"
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    """For AdamW, on matrices alone."""
    initialisation: str = "gpt2"
    """How fresh weights are drawn: "torch", "gpt2" or "lesson-3"."""

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch_size", 1), ("warm_up_steps", 0)):
            check_count(name, getattr(self, name), least)
        check_word("schedule", self.schedule, get_args(Shape))
        check_word("optimizer", self.optimizer, get_args(Optimizer))
        for name, fits, needed in RANGES:
            check_number(name, getattr(self, name), fits, needed)
        if self.weight_decay and self.optimizer != "adamw":
            raise PellucidError(
                f"weight_decay={self.weight_decay} does nothing with optimizer="
                f'"{self.optimizer}": choose "adamw", or leave it at 0.'
            )


RANGES = (
    ("learning_rate", positive, "above 0"),
    ("epsilon", positive, "above 0"),
    ("beta1", share, "from 0 to below 1"),
    ("beta2", share, "from 0 to below 1"),
    ("weight_decay", not_negative, "not below 0"),
)


RECIPES: dict[str, Recipe] = {
    # The first seed's. Its constant rate keeps the loss swinging a little above the floor.
    "notebook": Recipe(epochs=500, batch_size=16, learning_rate=0.01, initialisation="torch"),
    # Found by experiment on BabyGroot: the worst of 60 seeds ends 0.001 nats above the floor. Each
    # choice matters. In batches of 16 the median stays 0.005 above, for every batch pulls its own
    # way; at a rate of 0.01 it stays 0.026 above, on the way still; and of the weights that are
    # drawn as torch draws them, larger ones, 8 of 60 are caught on a plateau, up to 0.07 above.
    "default": Recipe(
        epochs=200,
        batch_size=128,
        learning_rate=0.03,
        schedule="cosine",
        optimizer="adamw",
        beta2=0.95,
        weight_decay=0.1,
    ),
}


def recipe(name: str) -> Recipe:
    """The recipe of that name.

    Raises:
        PellucidError: there is none; near names are offered.
    """
    if name not in RECIPES:
        near = did_you_mean(name, RECIPES)
        raise PellucidError(f'There is no recipe "{name}".{near} There are {", ".join(RECIPES)}.')
    return RECIPES[name]


def default_recipe(config: ModelConfig) -> Recipe:
    """The default recipe with its rate in inverse proportion to the width of the model.

    The best rate of Adam for a matrix falls as the matrix grows wider. Source: Yang et al., "Tensor
    Programs V: Tuning Large Neural Networks via Zero-Shot Hyperparameter Transfer" (2022), table 3.
    """
    found = RECIPES["default"]
    rate = found.learning_rate * WIDTH_OF_DEFAULT / config.n_embd
    return msgspec.structs.replace(found, learning_rate=rate)
