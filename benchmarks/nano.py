"""The character model of 0.8M parameters, trained against an eager PyTorch GPT of its shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from benchmarks.comparison import Report, require, take_turns, times_faster
from benchmarks.yardsticks import torch_gpt
from pellucid.decoder.presets import preset
from pellucid.model.model import Model
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer

STEPS = 20
REPEATS = 7
CHECKED = 5
RECIPE = TextRecipe(
    steps=STEPS * (REPEATS + 2), batch_size=12, learning_rate=1e-3, schedule="constant", warmup=0
)
WHAT = f"training nano, {STEPS} steps of {RECIPE.batch_size} windows of 64 characters"


def run() -> Report:
    """Check that both sides take the same steps, then time some of each in turn."""
    checks = check()
    threads = torch.get_num_threads()
    trainer, training, batches = sides()
    contestants: dict[str, Callable[[], object]] = {
        "ours": lambda: [trainer.step() for _ in range(STEPS)],
        "torch": partial(training.steps, batches[:STEPS]),
    }
    seconds = take_turns(contestants, repeats=REPEATS)
    yardstick = f"eager PyTorch with SDPA and AdamW, its default threads ({threads})"
    compared = times_faster(WHAT, yardstick, seconds["ours"], seconds["torch"], at_least=1)
    return Report(checks, [compared])


def sides() -> tuple[TextTrainer, torch_gpt.Training, list[torch_gpt.Batch]]:
    """Both trainings with the same weights, and the batches of the first steps."""
    config = preset("nano")
    # What the characters are makes no difference to how long a step takes.
    ids = np.random.default_rng(0).integers(0, config.vocab_size, 100_000)
    start = Model.from_config(config, seed=0)
    trainer = TextTrainer(start, ids, recipe=RECIPE, block_size=config.block_size, seed=0)
    shape = torch_gpt.Shape(
        config.vocab_size, config.block_size, config.n_layer, config.n_head, config.n_embd
    )
    training = torch_gpt.Training(shape, learning_rate=RECIPE.learning_rate, clip=RECIPE.clip)
    weights = {name: torch.tensor(array) for name, array in start.parameters.items()}
    torch_gpt.take_over(training.model, weights)
    found = (trainer.windows.batch(step) for step in range(STEPS))
    return trainer, training, [(torch.tensor(c), torch.tensor(t)) for c, t in found]


def check() -> list[str]:
    """From the same weights both have as many parameters, and the same losses at first."""
    trainer, training, batches = sides()
    parameters = {
        trainer.start.n_parameters,
        sum(parameter.numel() for parameter in training.model.parameters()),
    }
    ours = [trainer.step().loss for _ in range(CHECKED)]
    theirs = training.steps(batches[:CHECKED])
    # PyTorch decays the embeddings too, which so few steps hardly show.
    apart = float(np.abs(np.subtract(ours, theirs)).max())
    return [
        require(len(parameters) == 1, f"both train {parameters} parameters"),
        require(apart < 1e-3, f"the losses of the first {CHECKED} steps are {apart:.1g} apart"),
    ]
