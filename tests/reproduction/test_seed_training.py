"""The first seed's own training: its fresh weights and its batches give the losses it printed."""

import json
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

from pellucid.decoder.parameters import FlatParameters
from pellucid.interop import seeds
from pellucid.text.batches import Order, training_pairs
from pellucid.text.corpora import GROOT
from pellucid.text.statistics import conditional_entropy
from pellucid.training.loop import Trainer
from pellucid.training.recipes import RECIPES
from pellucid.training.sentences import targets_in_place

DATA = Path(__file__).parents[1] / "data"
PRINTED = json.loads((DATA / "baby_groot_seed42.json").read_text())["printed_losses"]


class RecordedOrder(Order):
    """Batches as they were drawn, instead of as Pellucid would draw them."""

    def __init__(self, batches):
        super().__init__(76, batch_size=16, seed=0)
        self.batches = batches

    def indices(self, step):
        return self.batches[step]


def seed_model():
    """Fresh weights as torch draws them after `manual_seed(42)`, in the seed's order of modules."""
    torch.manual_seed(42)
    modules = {
        "token_embedding": nn.Embedding(24, 8),
        "position_embedding": nn.Embedding(4, 8),
        "transformer.attn.q": nn.Linear(8, 8),
        "transformer.attn.k": nn.Linear(8, 8),
        "transformer.attn.v": nn.Linear(8, 8),
        "transformer.norm1": nn.LayerNorm(8),
        "transformer.norm2": nn.LayerNorm(8),
        "transformer.ffn.0": nn.Linear(8, 16),
        "transformer.ffn.2": nn.Linear(16, 8),
        "head": nn.Linear(8, 24),
    }
    state = {
        f"{module}.{name}": parameter.detach().numpy()
        for module, made in modules.items()
        for name, parameter in made.named_parameters()
    }
    # The printed log is rounded to four decimals; float32 strays by twice that in 450 epochs.
    return seeds.baby_groot(state).astype("float64")


def seed_batches():
    """The batches that a shuffling loader draws next, for 500 epochs."""
    loader = DataLoader(range(76), batch_size=16, shuffle=True)
    return RecordedOrder([batch.numpy() for _ in range(500) for batch in loader])


@pytest.fixture(scope="module")
def pairs():
    model = seed_model()
    return training_pairs(model.tokenizer.sequences(GROOT), pad_id=model.tokenizer.pad_id)


@pytest.fixture(scope="module")
def history(pairs):
    model = seed_model()
    parameters = FlatParameters.copy_of(model.parameters, model.specs)
    contexts, targets = pairs.contexts, targets_in_place(pairs)
    recipe = RECIPES["notebook"]
    trainer = Trainer(model.graph, parameters, contexts, targets, recipe=recipe, seed=0)
    trainer.order = seed_batches()
    return trainer.run()


def test_the_printed_losses_are_our_means_of_batches(history):
    ours = [
        f"Epoch {epoch.number - 1:3d} | Loss: {epoch.mean_of_batches:.4f}"
        for epoch in history[::50]
    ]
    assert ours == PRINTED


def test_the_printed_loss_lies_below_the_floor_and_the_mean_over_pairs_above(history, pairs):
    floor = conditional_entropy(pairs)
    assert round(history[450].mean_of_batches, 4) == 0.7264 < floor
    assert round(history[450].loss, 4) == 0.7472 > floor


def test_no_epoch_is_below_the_floor_by_pairs_and_many_are_by_batches(history, pairs):
    floor = conditional_entropy(pairs)
    assert sum(epoch.mean_of_batches < floor for epoch in history) > 30
    assert not any(epoch.loss < floor for epoch in history)
