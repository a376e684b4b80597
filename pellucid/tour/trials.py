"""Trials: the trainings of one tour, each run when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.presets import preset
from pellucid.model.model import Model
from pellucid.tour.corpus import Corpus
from pellucid.training.loop import OnEpoch
from pellucid.training.recipes import RECIPES, Recipe, default_recipe
from pellucid.training.run import TrainingRun
from pellucid.training.sentences import train_sentences

SHAPE = preset("baby-groot")
MOST_IDS = 300_000
"""How many ids a training beside the main one may read, padding included: all of any recipe for
the embedded corpus, fewer epochs for a larger one."""


@dataclass(frozen=True, kw_only=True)
class Trials:
    """One corpus, one seed, and every training that a tour makes of them.

    `on_epoch` hears of the main training alone, `on_notebook` of those that are run in PyTorch as
    the notebook ran them: the others are over before one could look.
    """

    corpus: Corpus
    seed: int = 0
    on_epoch: OnEpoch | None = None
    on_notebook: OnEpoch | None = None

    @cached_property
    def run(self) -> TrainingRun:
        """The main training, by the default recipe."""
        return train_sentences(
            self.corpus.sentences, preset=SHAPE, seed=self.seed, on_epoch=self.on_epoch
        )

    @cached_property
    def untrained(self) -> Model:
        """The model as it is before the main training."""
        config = SHAPE.replace(
            vocab_size=self.corpus.tokenizer.vocab_size,
            block_size=self.corpus.pairs.contexts.shape[1],
        )
        scheme = default_recipe(config).initialisation
        return Model.from_config(config, self.corpus.tokenizer, seed=self.seed, scheme=scheme)

    @cached_property
    def notebook(self) -> TrainingRun:
        """The same shape, trained as in the notebook that the embedded corpus is from."""
        return self.beside(SHAPE, RECIPES["notebook"])

    @cached_property
    def baseline(self) -> TrainingRun:
        """What the variations are held against: the same shape, trained for as long as they are."""
        return self.variation()

    def variation(self, **changes: Any) -> TrainingRun:
        """A model with some options changed, trained by the default recipe."""
        config = SHAPE.replace(**changes)
        return self.beside(config, default_recipe(config))

    def beside(self, config: ModelConfig, recipe: Recipe) -> TrainingRun:
        """Another shape on the same corpus with the same seed."""
        recipe = self.shortened(recipe)
        return train_sentences(self.corpus.sentences, preset=config, recipe=recipe, seed=self.seed)

    def shortened(self, recipe: Recipe) -> Recipe:
        """A recipe with as many epochs as one may wait for: at most all, at least one."""
        most = max(MOST_IDS // self.corpus.pairs.contexts.size, 1)
        return msgspec.structs.replace(recipe, epochs=min(recipe.epochs, most))
