"""A checkpoint: a model's folder, and beside the weights what AdamW remembers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.model.folder import read_weights, write_model, write_weights
from pellucid.training.durable import durable_folder
from pellucid.training.moments import STEPS
from pellucid.training.text_trainer import TextTrainer

OPTIMIZER = "optimizer.safetensors"


def save_checkpoint(trainer: TextTrainer, folder: Path) -> None:
    """Write the folder, which is there in the end or not at all.

    Raises:
        OSError: it cannot be written.
    """
    with durable_folder(folder) as draft:
        write_model(trainer.model(), draft)
        write_whole(draft / OPTIMIZER, partial(write_weights, trainer.learner.state()))


def restore(trainer: TextTrainer, folder: Path) -> None:
    """Give a trainer, which was made from a checkpoint's model, the optimizer's state with it.

    Raises:
        PellucidError: the state is damaged or another model's.
    """
    path = folder / OPTIMIZER
    state = read_weights(path)
    if not trainer.learner.restore(state):
        raise PellucidError(f"{path} is not the optimizer's state of the model beside it.")
    trainer.steps_taken = int(state[STEPS][0])
