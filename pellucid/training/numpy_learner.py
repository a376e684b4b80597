"""NumpyLearner: gradients by the NumPy engine, moved along by AdamW on one flat buffer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import FlatParameters
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep, kept_for
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.trace.budget import value_bytes
from pellucid.trace.memory import ROOM, available_memory
from pellucid.training.clipping import clip, gradient_norm
from pellucid.training.environment import Environment
from pellucid.training.evaluate import losses
from pellucid.training.execution import Execution
from pellucid.training.learner import Part
from pellucid.training.moments import STEPS, SUMS, Moments
from pellucid.training.nonfinite import what_went_wrong
from pellucid.training.optimizers import AdamW, matrices
from pellucid.training.text_recipe import TextRecipe

BUFFERS = 5
"""Of the parameters' size: themselves, their gradient, AdamW's two sums and its scratch."""


class NumpyLearner:
    """Trains a copy of a model's parameters in place. Arguments and methods as `Learner` has them.

    Nothing that is as large as the parameters is allocated after the first step.
    """

    def __init__(self, start: Model, recipe: TextRecipe) -> None:
        self.recipe = recipe
        self.execution = Execution()
        self.parameters = FlatParameters.copy_of(start.parameters, start.specs)
        self.graph = build_graph(start.config, dropout=recipe.dropout)
        self.engine = NumpyEngine(self.graph, self.parameters)
        # Nothing is left out of what is not trained on: the same parameters without dropout.
        self.judge = NumpyEngine(start.graph, self.parameters)
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

    def environment(self) -> Environment:
        return Environment.here()

    @property
    def precision(self) -> str:
        return str(self.engine.dtype)

    def loss_and_gradients(self, parts: Sequence[Part]) -> tuple[float, float]:
        """Both are sums over all tokens of the batch, divided by their number."""
        total = 0.0
        if self.of_part is not self.gradients:
            self.gradients.buffer[...] = 0
        # Whoever asks says what a number out of range means.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for part in parts:
                total += part.share * self.of(part)
                if self.of_part is not self.gradients:
                    np.multiply(self.of_part.buffer, part.share, out=self.of_part.buffer)
                    np.add(self.gradients.buffer, self.of_part.buffer, out=self.gradients.buffer)
            return total, gradient_norm(self.gradients.buffer)

    def of(self, part: Part) -> float:
        """Write a part's own gradients into `of_part`; returns its mean loss."""
        return self.engine.loss_and_gradients(
            part.ids, part.targets, self.of_part, noise=part.noise
        )

    def move(self, *, norm: float, learning_rate: float) -> None:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            clip(self.gradients.buffer, norm=norm, longest=self.recipe.clip)
            self.optimizer.step(
                self.parameters.buffer, self.gradients.buffer, learning_rate=learning_rate
            )

    def losses(self, ids: Array, targets: Array) -> Array:
        return losses(self.judge, ids, targets)

    def rehearse(self, part: Part) -> None:
        self.of(part)

    def memory_needed(self, windows: int, block_size: int) -> int:
        kept = kept_for(self.graph.needed_for(frozenset({"loss"})), Keep.BACKWARD)
        names = [name for name in self.graph.facts if name in kept]
        buffer = self.parameters.buffer
        tensors = value_bytes(self.graph, block_size, buffer.dtype, names)
        buffers = BUFFERS + (self.recipe.accumulate > 1)
        return buffers * buffer.nbytes + windows * (
            sum(tensors.values()) + ROOM * max(tensors.values())
        )

    def memory_there(self) -> int | None:
        return available_memory()

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.parameters.buffer).all())

    def diagnosis(self, parts: Sequence[Part]) -> str:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = (what_went_wrong(self.engine, part.given) for part in parts)
            return next(filter(None, found), "")

    def state(self) -> dict[str, Array]:
        """AdamW's two weighted sums [parameter], in the order of the parameters."""
        optimizer = self.optimizer
        sums = dict(zip(SUMS, (optimizer.first, optimizer.second), strict=True))
        return sums | {STEPS: np.array([optimizer.steps])}

    def restore(self, moments: Moments) -> None:
        betas, place = (self.recipe.beta1, self.recipe.beta2), 0
        for name, view in self.parameters.items():
            cut = slice(place, place + view.size)
            place += view.size
            first, second = moments.sums(name, betas, 0, len(view))
            self.optimizer.first[cut] = first.ravel()
            self.optimizer.second[cut] = second.ravel()
        self.optimizer.steps = moments.steps
