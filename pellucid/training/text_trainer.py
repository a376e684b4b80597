"""TextTrainer: windows of running text through the engine, gradients through AdamW.

Ids and numbers only: knows no text, no files, and prints nothing.
"""

from __future__ import annotations

from math import isfinite
from time import perf_counter

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import FlatParameters
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.ops.dropout import noise_keys
from pellucid.ops.operation import Array
from pellucid.text.mapped import Run
from pellucid.text.windows import Windows
from pellucid.training.clipping import clip, gradient_norm
from pellucid.training.nonfinite import what_went_wrong
from pellucid.training.optimizers import AdamW, matrices
from pellucid.training.reports import TrainingStep
from pellucid.training.schedules import learning_rate
from pellucid.training.text_recipe import TextRecipe


class TextTrainer:
    """Trains a copy of a model's parameters; each step changes `parameters` in place.

    What a step sees, leaves out and how far it moves are functions of the seed and the step's
    number; parameters and the optimizer's state are all else that it depends on, so that a trainer
    which is given those of another goes on as the other would have.
    """

    def __init__(
        self, start: Model, ids: Run, *, recipe: TextRecipe, block_size: int, seed: int
    ) -> None:
        """Take the ids of the training text [position]; a window has `block_size` of them.

        Raises:
            PellucidError: the text does not fill a window.
        """
        self.start = start
        self.recipe = recipe
        self.seed = seed
        self.steps_taken = 0
        self.windows = Windows(ids, block_size=block_size, batch_size=recipe.batch_size, seed=seed)
        self.parameters = FlatParameters.copy_of(start.parameters, start.specs)
        self.graph = build_graph(start.config, dropout=recipe.dropout)
        self.engine = NumpyEngine(self.graph, self.parameters)
        self.gradients = self.parameters.zeros_like()
        self.of_part = self.gradients if recipe.accumulate == 1 else self.parameters.zeros_like()
        self.optimizer = AdamW(
            matrices(start.specs),
            weight_decay=recipe.weight_decay,
            dtype=self.parameters.buffer.dtype,
            beta1=recipe.beta1,
            beta2=recipe.beta2,
            epsilon=recipe.epsilon,
        )

    @property
    def finished(self) -> bool:
        return self.steps_taken >= self.recipe.steps

    def model(self) -> Model:
        """The parameters as they now stand, as a model of their own."""
        return Model(self.start.config, self.parameters, self.start.tokenizer)

    def step(self) -> TrainingStep:
        """Take the next step.

        Raises:
            PellucidError: the loss or a gradient is not finite; the step and the first tensor that
                went wrong are named. The parameters have not moved.
        """
        started = perf_counter()
        step = self.steps_taken
        rate = self.learning_rate(step)
        # Numbers out of range are caught below, with words of our own.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            loss = self.loss_and_gradients(step)
            norm = gradient_norm(self.gradients.buffer)
            if not (isfinite(loss) and isfinite(norm)):
                raise PellucidError(self.diagnosis(step, loss))
            clip(self.gradients.buffer, norm=norm, longest=self.recipe.clip)
            self.optimizer.step(self.parameters.buffer, self.gradients.buffer, learning_rate=rate)
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

    def loss_and_gradients(self, step: int) -> float:
        """Write the gradients of the batch of `step` into `gradients`; returns its mean loss.

        The batch is run in parts; both are sums over all of its tokens, divided by their number.
        """
        total = 0.0
        batch_size = self.recipe.batch_size
        if self.of_part is not self.gradients:
            self.gradients.buffer[...] = 0
        for ids, targets, noise in self.parts(step):
            share = len(ids) / batch_size
            total += share * self.engine.loss_and_gradients(ids, targets, self.of_part, noise=noise)
            if self.of_part is not self.gradients:
                np.multiply(self.of_part.buffer, share, out=self.of_part.buffer)
                np.add(self.gradients.buffer, self.of_part.buffer, out=self.gradients.buffer)
        return total

    def parts(self, step: int) -> list[tuple[Array, Array, Array | None]]:
        """Contexts and targets [part, position] and noise [part] of each part of a batch.

        Which windows a step has, and what is left out of each, is the same in any number of parts.
        """
        contexts, targets = self.windows.batch(step)
        n_parts = self.recipe.accumulate
        cut = zip(np.array_split(contexts, n_parts), np.array_split(targets, n_parts), strict=True)
        if not self.recipe.dropout:
            return [(*part, None) for part in cut]
        noise = noise_keys(self.seed, step, np.arange(len(contexts)))
        keys = np.array_split(noise, n_parts)
        return [(*part, of_part) for part, of_part in zip(cut, keys, strict=True)]

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
        for ids, targets, noise in self.parts(step):
            given = {"ids": ids, "targets": targets}
            found = what_went_wrong(
                self.engine, given if noise is None else given | {"noise": noise}
            )
            if found:
                return (
                    f"At step {step + 1} of {self.recipe.steps} the loss is {loss}: {found} "
                    f"Train with a learning_rate below {self.recipe.learning_rate}."
                )
        return (
            f"At step {step + 1} of {self.recipe.steps} the loss is {loss}, and its gradient is "
            f"too long for {self.engine.dtype}. "
            f"Train with a learning_rate below {self.recipe.learning_rate}."
        )
