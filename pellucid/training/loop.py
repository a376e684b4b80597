"""Trainer: examples through the engine, gradients through an optimizer, step after step.

Ids and numbers only: knows no text and prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import NoReturn

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import FlatParameters
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError
from pellucid.text.batches import NO_TARGET, Ids, Order
from pellucid.training.history import Epoch
from pellucid.training.optimizers import Adam, AdamW, matrices
from pellucid.training.recipes import Recipe
from pellucid.training.schedules import learning_rate

OnEpoch = Callable[[Epoch], object]


class Trainer:
    """Trains the parameters of a graph on examples; step after step changes `parameters` in place.

    What a step sees and how far it moves are functions of the seed and the step's number; the
    optimizer's state is all else that it depends on.
    """

    def __init__(
        self,
        graph: Graph,
        parameters: FlatParameters,
        contexts: Ids,
        targets: Ids,
        *,
        recipe: Recipe,
        seed: int,
    ) -> None:
        """Take ids `contexts` and `targets` [example, position]; a target of −1 is none.

        Raises:
            PellucidError: the seed is negative, or there are no examples.
        """
        self.parameters = parameters
        self.contexts = contexts
        self.targets = targets
        self.recipe = recipe
        self.order = Order(len(contexts), batch_size=recipe.batch_size, seed=seed)
        self.steps = recipe.epochs * self.order.batches_per_epoch
        self.engine = NumpyEngine(graph, parameters)
        self.gradients = parameters.zeros_like()
        self.optimizer = make_optimizer(recipe, parameters)
        self.targets_of_example = (targets != NO_TARGET).sum(axis=1)

    def run(self, on_epoch: OnEpoch | None = None) -> tuple[Epoch, ...]:
        """Train for all epochs of the recipe; `on_epoch` is handed each as it ends.

        Raises:
            PellucidError: the loss is not finite; the parameters are then of no use.
        """
        history = []
        for number in range(1, self.recipe.epochs + 1):
            history.append(self.epoch(number))
            if on_epoch is not None:
                on_epoch(history[-1])
        return tuple(history)

    def epoch(self, number: int) -> Epoch:
        """Take the steps of epoch `number`, which counts from 1."""
        batches = self.order.batches_per_epoch
        steps = range((number - 1) * batches, number * batches)
        # Numbers out of range are caught below, with words of our own.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            losses = [self.step(step) for step in steps]
        seen = [self.targets_of_example.take(self.order.indices(step)) for step in steps]
        counts = [np.add.reduce(targets) for targets in seen]
        return Epoch(
            number=number,
            loss=float(np.dot(losses, counts) / sum(counts)),
            mean_of_batches=sum(losses) / batches,
            learning_rate=self.learning_rate(steps[-1]),
        )

    def step(self, step: int) -> float:
        """Learn from one batch; returns its mean loss, measured before the parameters move.

        Raises:
            PellucidError: that loss is not finite. The parameters have not moved.
        """
        batch = self.order.indices(step)
        contexts, targets = self.contexts.take(batch, axis=0), self.targets.take(batch, axis=0)
        loss = self.engine.loss_and_gradients(contexts, targets, self.gradients)
        if not isfinite(loss):
            self.stop(loss, f"at step {step + 1} of {self.steps}")
        self.optimizer.step(
            self.parameters.buffer, self.gradients.buffer, learning_rate=self.learning_rate(step)
        )
        return loss

    def learning_rate(self, step: int) -> float:
        """The rate at `step`, as the recipe's schedule has it."""
        return learning_rate(
            step,
            steps=self.steps,
            peak=self.recipe.learning_rate,
            shape=self.recipe.schedule,
            warm_up_steps=self.recipe.warm_up_steps,
        )

    def loss(self) -> float:
        """The mean loss over all targets as the parameters now stand, in nats.

        Raises:
            PellucidError: it is not finite.
        """
        total = 0.0
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # In batches: the activations of a whole corpus need not fit into memory.
            for start in range(0, len(self.contexts), self.recipe.batch_size):
                batch = slice(start, start + self.recipe.batch_size)
                given = {"ids": self.contexts[batch], "targets": self.targets[batch]}
                mean = self.engine.forward(given, outputs=("loss",))["loss"][0]
                total += float(mean) * int(self.targets_of_example[batch].sum())
        if not isfinite(total):
            self.stop(total, f"after the last of {self.steps} steps")
        return total / int(self.targets_of_example.sum())

    def stop(self, loss: float, when: str) -> NoReturn:
        """Raise the `PellucidError` that says when the loss stopped being finite."""
        raise PellucidError(
            f"The loss is {loss} {when}: the numbers have left the range of {self.engine.dtype}. "
            f"Train with a learning_rate below {self.recipe.learning_rate}."
        )


def make_optimizer(recipe: Recipe, parameters: FlatParameters) -> Adam:
    """The optimizer that `recipe` names, fresh, for a buffer of these parameters."""
    buffer = parameters.buffer
    if recipe.optimizer == "adam":
        return Adam(
            buffer.size,
            dtype=buffer.dtype,
            beta1=recipe.beta1,
            beta2=recipe.beta2,
            epsilon=recipe.epsilon,
        )
    return AdamW(
        matrices(parameters.specs),
        weight_decay=recipe.weight_decay,
        dtype=buffer.dtype,
        beta1=recipe.beta1,
        beta2=recipe.beta2,
        epsilon=recipe.epsilon,
    )
