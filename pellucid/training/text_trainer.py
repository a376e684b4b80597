"""TextTrainer: windows of running text through a learner, step after step.

Ids and numbers only: knows no text, no files, and prints nothing.
"""

from __future__ import annotations

from math import isfinite
from time import perf_counter

import numpy as np

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.ops.dropout import noise_keys
from pellucid.text.batches import Ids
from pellucid.text.mapped import Run
from pellucid.text.windows import Windows
from pellucid.training.learner import Learner, Part
from pellucid.training.numpy_learner import NumpyLearner
from pellucid.training.ranks import ALONE, Ranks
from pellucid.training.reports import TrainingStep
from pellucid.training.schedules import learning_rate
from pellucid.training.text_recipe import TextRecipe


class DivergedError(PellucidError):
    """A number that is not finite, which all ranks of a training come upon at the same step."""


class TextTrainer:
    """Trains a copy of a model's parameters; each step changes the learner's in place.

    What a step sees, leaves out and how far it moves are functions of the seed and the step's
    number; parameters and the optimizer's state are all else that it depends on, so that a trainer
    which is given those of another goes on as the other would have.
    """

    def __init__(
        self,
        start: Model,
        ids: Run,
        *,
        recipe: TextRecipe,
        block_size: int,
        seed: int,
        learner: Learner | None = None,
        ranks: Ranks = ALONE,
    ) -> None:
        """Take the ids of the training text [position]; a window has `block_size` of them.

        The NumPy engine learns unless a `learner` is given, which was made from the same start.
        With several `ranks`, each takes its part of every batch.

        Raises:
            PellucidError: the text does not fill a window, or the ranks cannot share a batch.
        """
        self.start = start
        self.recipe = recipe
        self.seed = seed
        self.ranks = ranks
        self.steps_taken = 0
        self.windows = Windows(ids, block_size=block_size, batch_size=recipe.batch_size, seed=seed)
        self.own = range(*ranks.share(recipe.batch_size, recipe.accumulate))
        """The numbers of this rank's windows within a batch."""
        self.learner = learner or NumpyLearner(start, recipe)

    @property
    def finished(self) -> bool:
        return self.steps_taken >= self.recipe.steps

    def model(self) -> Model:
        """The parameters as they now stand, as a model of their own."""
        return Model(self.start.config, self.learner.parameters, self.start.tokenizer)

    def step(self) -> TrainingStep:
        """Take the next step.

        Raises:
            DivergedError: the loss or a gradient is not finite; the step and the first tensor that
                went wrong are named. The parameters have not moved.
            PellucidError: memory has run out.
        """
        started = perf_counter()
        step = self.steps_taken
        rate = self.learning_rate(step)
        loss, norm = self.learner.loss_and_gradients(self.parts(step))
        if not (isfinite(loss) and isfinite(norm)):
            raise DivergedError(self.diagnosis(step, loss))
        self.learner.move(norm=norm, learning_rate=rate)
        self.steps_taken += 1
        return TrainingStep(
            step=self.steps_taken,
            steps=self.recipe.steps,
            loss=loss,
            learning_rate=rate,
            gradient_norm=norm,
            tokens=self.recipe.batch_size * self.windows.block_size,
            seconds=perf_counter() - started,
        )

    def parts(self, step: int) -> list[Part]:
        """This rank's windows of the batch of `step`, in as many parts as the recipe has.

        Which windows a step has, and what is left out of each, is the same for any number of parts
        and of ranks.
        """
        cut = np.array_split(np.asarray(self.own), self.recipe.accumulate)
        return [self.part(step, numbers) for numbers in cut]

    def part(self, step: int, numbers: Ids) -> Part:
        """The windows of these `numbers` [window], counted from 0 within the batch of `step`."""
        ids, targets = self.windows.windows(self.windows.samples(step)[numbers])
        noise = noise_keys(self.seed, step, numbers) if self.recipe.dropout else None
        return Part(ids, targets, noise, share=len(numbers) / self.recipe.batch_size)

    def learning_rate(self, step: int) -> float:
        """The rate at `step`, which counts from 0, as the recipe's schedule has it."""
        return learning_rate(
            step,
            steps=self.recipe.steps,
            peak=self.recipe.learning_rate,
            shape=self.recipe.schedule,
            warm_up_steps=self.recipe.warmup,
        )

    def diagnosis(self, step: int, loss: float) -> str:
        """What went wrong in a step whose numbers are not finite, found by running it again."""
        found = self.learner.diagnosis(self.parts(step))
        precision = self.learner.precision
        if found:
            wrong = f": {found}"
        elif isfinite(loss):
            wrong = f", and its gradient is too long for {precision}."
        else:
            wrong = f": numbers have left the range of {precision}."
        return (
            f"At step {step + 1} of {self.recipe.steps} the loss is {loss}{wrong} "
            f"Train with a learning_rate below {self.recipe.learning_rate}."
        )
