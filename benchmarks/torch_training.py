"""Character models of 0.8M and 10M parameters, trained by torch on the CPU.

Against an eager PyTorch GPT of the same shape, on the same batches from the same weights. How much
of what the processor can do is used is told as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np
import torch

from benchmarks.comparison import Comparison, Report, require, take_turns, times_faster
from benchmarks.linear import peak
from benchmarks.yardsticks import torch_gpt
from pellucid.decoder.presets import preset
from pellucid.model.model import Model
from pellucid.training.execution import Execution
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.torch_learner import TorchLearner

REPEATS = 7
CHECKED = 5
TORCH = Execution(engine="torch", device="cpu")


@dataclass(frozen=True)
class Race:
    """A model to train, how many steps a turn takes, and how much faster it is to be."""

    preset: str
    size: str
    steps: int
    at_least: float

    @property
    def recipe(self) -> TextRecipe:
        return TextRecipe(
            steps=self.steps * (REPEATS + 2) + CHECKED,
            batch_size=12,
            learning_rate=1e-3,
            schedule="constant",
            warmup=0,
        )

    @property
    def flops(self) -> int:
        """Of a turn's steps: a backward pass takes twice as many as a forward pass."""
        model, windows = Model.from_config(preset(self.preset)), self.recipe.batch_size
        return 3 * self.steps * windows * model.graph.flops(model.config.block_size)


RACES = (
    Race("nano", "0.8M parameters", steps=20, at_least=1.3),
    Race("mini", "10.7M parameters", steps=1, at_least=1.05),
)


def run() -> Report:
    """Race by race: check that both sides take the same steps, then time some of each in turn."""
    checks, comparisons, notes = [], [], []
    best = peak()
    for race in RACES:
        checks += check(race)
        comparison = compare(race)
        comparisons.append(comparison)
        rates = [race.flops / median(s) / 1e9 for s in (comparison.ours, comparison.theirs)]
        notes.append(
            f"Training {race.preset}: {rates[0]:.0f} GFLOP/s, {rates[0] / best:.0%} of the largest "
            f"that a float32 product of two matrices reached in this run ({best:.0f}); the "
            f"yardstick {rates[1]:.0f}, {rates[1] / best:.0%}."
        )
    return Report(checks, comparisons, notes)


def compare(race: Race) -> Comparison:
    """Some steps of both sides in turn."""
    trainer, training, batches = sides(race)
    contestants: dict[str, Callable[[], object]] = {
        "ours": lambda: [trainer.step() for _ in range(race.steps)],
        "theirs": partial(training.steps, batches[: race.steps]),
    }
    seconds = take_turns(contestants, repeats=REPEATS)
    steps = "1 step" if race.steps == 1 else f"{race.steps} steps"
    windows = f"{race.recipe.batch_size} windows of {preset(race.preset).block_size} characters"
    return times_faster(
        f"training {race.preset} ({race.size}) with torch, {steps} of {windows}",
        f"eager PyTorch with SDPA and AdamW, {torch.get_num_threads()} threads as ours",
        seconds["ours"],
        seconds["theirs"],
        at_least=race.at_least,
    )


def sides(race: Race) -> tuple[TextTrainer, torch_gpt.Training, list[torch_gpt.Batch]]:
    """Both trainings with the same weights, and the batches of the first steps."""
    config, recipe = preset(race.preset), race.recipe
    # What the characters are makes no difference to how long a step takes.
    ids = np.random.default_rng(0).integers(0, config.vocab_size, 100_000)
    start = Model.from_config(config, seed=0)
    trainer = TextTrainer(
        start,
        ids,
        recipe=recipe,
        block_size=config.block_size,
        seed=0,
        learner=TorchLearner(start, recipe, TORCH),
    )
    shape = torch_gpt.Shape(
        config.vocab_size, config.block_size, config.n_layer, config.n_head, config.n_embd
    )
    training = torch_gpt.Training(shape, learning_rate=recipe.learning_rate, clip=recipe.clip)
    weights = {name: torch.tensor(array) for name, array in start.parameters.items()}
    torch_gpt.take_over(training.model, weights)
    found = (trainer.windows.batch(step) for step in range(max(race.steps, CHECKED)))
    return trainer, training, [(torch.tensor(c), torch.tensor(t)) for c, t in found]


def check(race: Race) -> list[str]:
    """From the same weights both have as many parameters, and the same losses at first."""
    trainer, training, batches = sides(race)
    parameters = {
        trainer.start.n_parameters,
        sum(parameter.numel() for parameter in training.model.parameters()),
    }
    ours = [trainer.step().loss for _ in range(CHECKED)]
    theirs = training.steps(batches[:CHECKED])
    # PyTorch decays the embeddings too, which so few steps hardly show.
    apart = float(np.abs(np.subtract(ours, theirs)).max())
    return [
        require(len(parameters) == 1, f"both train {parameters.pop()} parameters ({race.preset})"),
        require(apart < 1e-3, f"the losses of the first {CHECKED} steps are {apart:.1g} apart"),
    ]
