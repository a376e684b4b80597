"""Trainers: a preparation and an engine put together."""

from __future__ import annotations

from pellucid.model.model import Model
from pellucid.training.execution import Execution
from pellucid.training.learner import Learner
from pellucid.training.numpy_learner import NumpyLearner
from pellucid.training.preparation import Preparation
from pellucid.training.ranks import ALONE, Ranks
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer

NUMPY = Execution()


def make_trainer(
    prepared: Preparation, execution: Execution = NUMPY, ranks: Ranks = ALONE
) -> TextTrainer:
    """A trainer before its first step."""
    return TextTrainer(
        prepared.start,
        prepared.training,
        recipe=prepared.recipe,
        block_size=prepared.block_size,
        seed=prepared.seed,
        learner=make_learner(prepared.start, prepared.recipe, execution, ranks),
        ranks=ranks,
    )


def make_learner(start: Model, recipe: TextRecipe, execution: Execution, ranks: Ranks) -> Learner:
    """What trains these parameters: the engine that was asked for."""
    if execution.engine == "numpy":
        return NumpyLearner(start, recipe)
    if execution.shards:
        from pellucid.training.torch_sharding import ShardedLearner

        return ShardedLearner(start, recipe, execution, ranks)
    from pellucid.training.torch_learner import TorchLearner

    return TorchLearner(start, recipe, execution, ranks)
