"""A checkpoint: a model's folder, and beside the weights what AdamW remembers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.model.folder import (
    CONFIG,
    load,
    read_config,
    read_weights,
    write_model,
    write_weights,
)
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.text.tokenizer_folder import load_tokenizer
from pellucid.training.durable import durable_folder
from pellucid.training.moments import MEANS, Moments, whole
from pellucid.training.shards import INDEX, Shards
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


def load_checkpoint(folder: Path) -> Model:
    """The model of a checkpoint, however it was written.

    Raises:
        PellucidError: it is damaged, or its files are of different checkpoints.
    """
    if not (folder / INDEX).exists():
        return load(folder)
    config = read_config(folder / CONFIG)
    shards = Shards(folder)
    names = parameter_specs(build_graph(config))
    parameters = {name: shards.read(name) for name in names}
    return Model(config, parameters, load_tokenizer(folder))


def restore(trainer: TextTrainer, folder: Path) -> None:
    """Give a trainer, which was made from a checkpoint's model, the optimizer's state with it.

    Raises:
        PellucidError: the state is damaged, another model's or of another step.
    """
    specs = trainer.start.specs
    if (folder / INDEX).exists():
        path, moments = folder / INDEX, moments_in(Shards(folder))
    else:
        path = folder / OPTIMIZER
        found = whole(read_weights(path), specs)
        if found is None:
            raise PellucidError(f"{path} is not the optimizer's state of the model beside it.")
        moments = found
    if str(moments.steps) != folder.name:
        raise PellucidError(
            f"{path} is of step {moments.steps}, in the checkpoint of step {folder.name}: files of "
            "different checkpoints are mixed. Take all of them from one."
        )
    trainer.learner.restore(moments)
    trainer.steps_taken = moments.steps


def moments_in(shards: Shards) -> Moments:
    """What the optimizer remembers, out of shards."""

    def read(kind: str, name: str, start: int, stop: int) -> Array:
        return shards.read(f"{kind}/{name}", start, stop)

    return Moments(MEANS, shards.index.step, read)
