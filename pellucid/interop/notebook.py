"""The published notebook's own training, made again with torch, beside every figure it prints.

With another number of threads, or on vectors of another width, a processor adds up the same numbers
in another order, and the last bits come out otherwise. So the training runs in a process of its
own, in which both are set before torch is loaded, and whoever asks keeps their own.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from pellucid.engine.find_torch import require_torch
from pellucid.errors import PellucidError
from pellucid.interop.lesson_3_figures import Figure
from pellucid.interop.seeds import baby_groot
from pellucid.model.model import Model
from pellucid.text.batches import training_pairs
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.checks import check_count
from pellucid.training.history import Epoch
from pellucid.training.loop import OnEpoch
from pellucid.training.recipes import RECIPES

THREADS = 2
"""With so many, on vectors of 256 bits, the notebook's ten losses come out to the last digit."""
EVERY = 50
PRINTED_LOSSES = (
    *(3.1198, 0.8143, 0.7484, 0.7672, 0.7508),
    *(0.7477, 0.7627, 0.7492, 0.7485, 0.7264),
)
"""Of epochs 0, 50, …, 450 of 500, as the notebook counts: means of the batches' means, in nats."""
LOSS_DECIMALS = 4
PRINTED_ATTENTION = (2.7, 86.5, 10.8)
"""From "am" in "i am groot" to <START>, "i" and itself, in percent."""
PRINTED_END = 93.99
"""The probability of <END> after "i am groot", in percent."""
PRINTED_TEXTS = {
    "i am": "i am groot",
    "groot likes": "groot likes leaf",
    "tree needs": "tree needs water",
    "rocket helps": "rocket helps rocket",
}
"""What the trained model makes of a prompt, always the likeliest token."""
NEAR = 0.002
"""In nats: other orders of the same sums move the printed losses by so much at the most."""
RATE = RECIPES["notebook"].learning_rate


@dataclass(frozen=True, eq=False, kw_only=True)
class NotebookTraining:
    """The notebook's training, made again. Losses are in nats."""

    threads: int
    torch: str
    """The release of torch."""
    history: tuple[Epoch, ...]
    model: Model
    """As it was after the last epoch."""
    decayed: Model
    """The same fresh weights, trained by the default recipe instead, in torch too."""

    @cached_property
    def losses(self) -> tuple[Figure, ...]:
        """Each printed loss beside ours."""
        ours = self.history[::EVERY]
        return tuple(
            Figure(f"epoch {epoch.number - 1}", (printed,), (epoch.mean_of_batches,), LOSS_DECIMALS)
            for printed, epoch in zip(PRINTED_LOSSES, ours, strict=True)
        )

    @property
    def off_by(self) -> float:
        """The largest difference between a printed loss and ours."""
        return max(figure.difference or 0.0 for figure in self.losses)

    @property
    def is_near(self) -> bool:
        """Whether every printed loss is ours but for the order of sums."""
        return self.off_by <= NEAR

    @cached_property
    def loss(self) -> float:
        """The trained model's mean loss over all pairs."""
        return mean_loss(self.model)

    @cached_property
    def decayed_loss(self) -> float:
        """The same, of the model that was trained by the default recipe."""
        return mean_loss(self.decayed)

    @cached_property
    def attention(self) -> Figure:
        """Where "am" looks, in percent."""
        pattern = self.model.trace("i am groot")["blocks.0.attn.pattern"].values[0, 2, :3]
        shares = tuple((100 * pattern.astype(np.float64)).tolist())
        return Figure("attention", PRINTED_ATTENTION, shares, 1)

    @cached_property
    def end(self) -> Figure:
        """How likely "i am groot" is over, in percent."""
        share = self.model.trace("i am groot")["probs"].values[-1, Tokenizer.words(GROOT).end_id]
        return Figure("end", (PRINTED_END,), (100 * float(share),), 2)

    @cached_property
    def texts(self) -> dict[str, str]:
        """What the trained model makes of each of the notebook's prompts."""
        return {prompt: self.model.generate_text(prompt) for prompt in PRINTED_TEXTS}


_DONE: dict[int, NotebookTraining] = {}


def train_as_the_notebook(
    threads: int = THREADS, *, on_epoch: OnEpoch | None = None
) -> NotebookTraining:
    """Train BabyGroot as its notebook does: torch's seed 42, its batches, 500 epochs of Adam.

    It takes some seconds. What was trained once in this process is handed out again: the same
    numbers would come out.

    Args:
        threads: how many share a matrix product, and so in which order numbers are added up.
        on_epoch: called with each epoch as it ends.

    Raises:
        PellucidError: PyTorch is not installed, `threads` is not positive, or the process ended.
    """
    require_torch("This training")
    check_count("threads", threads, 1)
    if threads not in _DONE:
        *epochs, last = lines(threads, on_epoch)
        _DONE[threads] = NotebookTraining(
            threads=threads,
            torch=last["torch"],
            history=tuple(as_epoch(number, line) for number, line in enumerate(epochs, start=1)),
            model=as_model(last["parameters"]),
            decayed=as_model(last["decayed"]),
        )
    return _DONE[threads]


def as_model(parameters: dict[str, Any]) -> Model:
    """Lists of numbers by the notebook's names as a model."""
    return baby_groot({name: np.float32(values) for name, values in parameters.items()})


def mean_loss(model: Model) -> float:
    """A model's mean loss over all pairs of the notebook's sentences."""
    tokenizer = Tokenizer.words(GROOT)
    pairs = training_pairs(tokenizer.sequences(GROOT), pad_id=tokenizer.pad_id or 0)
    return model.loss(pairs.contexts, pairs.targets, pairs.lengths)


def as_epoch(number: int, line: dict[str, float]) -> Epoch:
    """A line of the process as an epoch."""
    return Epoch(
        number=number,
        loss=line["loss"],
        mean_of_batches=line["mean_of_batches"],
        learning_rate=RATE,
    )


def lines(threads: int, on_epoch: OnEpoch | None) -> Iterator[dict[str, Any]]:
    """What the process tells, line by line."""
    command = [sys.executable, "-m", "pellucid.interop.notebook_torch", str(threads)]
    with (
        TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(
            command, env=settings(threads), stdout=subprocess.PIPE, stderr=errors, encoding="utf-8"
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for number, text in enumerate(process.stdout, start=1):
                line = json.loads(text)
                if on_epoch is not None and "loss" in line:
                    on_epoch(as_epoch(number, line))
                yield line
        except BaseException:
            process.kill()
            raise
        if process.wait():
            raise PellucidError(f"The training in torch broke off: {last_line(errors)}")


def last_line(errors: IO[str]) -> str:
    """What a process said at its end, if anything."""
    errors.seek(0)
    said = errors.read().strip().splitlines()
    return said[-1] if said else "it said nothing. Try again."


def settings(threads: int) -> dict[str, str]:
    """The environment of the process: the threads, and vectors as wide as when it was printed."""
    mine = {
        "OMP_NUM_THREADS": str(threads),
        # On a busy machine threads that spin while they wait for each other take minutes.
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    if platform.machine() in ("x86_64", "AMD64"):
        mine |= {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
    return {**os.environ, **mine}
