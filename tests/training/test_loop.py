"""The trainer takes the steps that the mathematics says, and reports what they measured."""

import msgspec
import numpy as np
import pytest
import torch

from pellucid.decoder.parameters import FlatParameters
from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.batches import Order, packed_windows, training_pairs, whole_sentences
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.history import Epoch
from pellucid.training.loop import Trainer
from pellucid.training.recipes import RECIPES
from pellucid.training.sentences import targets_in_place
from tests.parity import torch_decoder

TOKENIZER = Tokenizer.words(GROOT)
SEQUENCES = TOKENIZER.sequences(GROOT)
RUN_ON = [token for ids in SEQUENCES for token in ids]
PAIRS = training_pairs(SEQUENCES, pad_id=0)
CONFIG = preset("baby-groot")
STILL = 1e-30
"""A rate so small that float32 parameters do not move."""


def make_trainer(recipe, *, seed=0, dtype="float32", examples=None):
    model = Model.from_config(CONFIG, TOKENIZER, seed=3, dtype=dtype, scheme="torch")
    parameters = FlatParameters.copy_of(model.parameters, model.specs)
    contexts, targets = examples or (PAIRS.contexts, targets_in_place(PAIRS))
    return Trainer(model.graph, parameters, contexts, targets, recipe=recipe, seed=seed)


def short(name="notebook", **changes):
    return msgspec.structs.replace(RECIPES[name], **({"epochs": 4} | changes))


def frozen(trainer):
    """The trainer's parameters as a model of their own."""
    return Model(CONFIG, trainer.parameters, TOKENIZER)


# Its steps


@pytest.mark.parametrize(
    "recipe", [short(), short("default", batch_size=16)], ids=["adam", "adamw"]
)
def test_it_trains_as_torch_does(recipe):
    trainer = make_trainer(recipe, dtype="float64")
    parameters = {
        name: torch.tensor(array, requires_grad=True) for name, array in trainer.parameters.items()
    }
    matrices = [
        p for name, p in parameters.items() if trainer.parameters.specs[name].kind == "matrix"
    ]
    others = [p for p in parameters.values() if not any(p is matrix for matrix in matrices)]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": recipe.weight_decay}, {"params": others}],
        betas=(recipe.beta1, recipe.beta2),
        eps=recipe.epsilon,
        weight_decay=0,
    )
    order = Order(len(PAIRS), batch_size=16, seed=0)
    for step in range(trainer.steps):
        batch = order.indices(step)
        ids, targets = map(torch.tensor, (trainer.contexts[batch], trainer.targets[batch]))
        for group in optimizer.param_groups:
            group["lr"] = trainer.learning_rate(step)
        loss = torch_decoder.loss(CONFIG, parameters, ids, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert trainer.step(step) == pytest.approx(loss.item(), rel=1e-9)
    for name, parameter in parameters.items():
        np.testing.assert_allclose(trainer.parameters[name], parameter.detach(), atol=1e-9)


def test_the_seed_decides_every_number():
    def weights(seed):
        trainer = make_trainer(short(), seed=seed)
        history = trainer.run()
        return history, trainer.parameters.buffer.tobytes()

    assert weights(5) == weights(5)
    assert weights(5) != weights(6)


def test_learning_lowers_the_loss():
    trainer = make_trainer(short(epochs=30))
    before = trainer.loss()
    history = trainer.run()
    assert trainer.loss() < before / 2
    assert history[-1].loss < history[0].loss / 2


@pytest.mark.parametrize(
    "examples",
    [whole_sentences(SEQUENCES, pad_id=0), packed_windows(RUN_ON, block_size=4)],
    ids=["whole sentences", "packed windows"],
)
def test_examples_may_have_a_target_at_every_position(examples):
    trainer = make_trainer(short(epochs=30, batch_size=8), examples=examples)
    before = trainer.loss()
    trainer.run()
    assert trainer.loss() < before / 2
    assert trainer.loss() == pytest.approx(frozen(trainer).loss(*examples), rel=1e-6)


# Its report


def test_every_epoch_is_reported_as_it_ends():
    seen: list[Epoch] = []
    trainer = make_trainer(short())
    history = trainer.run(seen.append)
    assert tuple(seen) == history
    assert [epoch.number for epoch in history] == [1, 2, 3, 4]


def test_an_epoch_has_the_rate_of_its_last_step():
    trainer = make_trainer(short("default", batch_size=16))
    rates = [epoch.learning_rate for epoch in trainer.run()]
    assert rates == [trainer.learning_rate(step) for step in (4, 9, 14, 19)]
    assert rates == sorted(rates, reverse=True)


def test_an_epochs_loss_is_the_mean_over_pairs_and_not_over_batches():
    trainer = make_trainer(short(learning_rate=STILL))
    model = frozen(trainer)
    contexts, targets = trainer.contexts, trainer.targets
    batches = [trainer.order.indices(step) for step in range(5)]
    assert [len(batch) for batch in batches] == [16, 16, 16, 16, 12]
    means = [model.loss(contexts[batch], targets[batch]) for batch in batches]
    epoch = trainer.epoch(1)
    assert epoch.loss == pytest.approx(model.loss(contexts, targets), rel=1e-6)
    assert epoch.mean_of_batches == pytest.approx(sum(means) / 5, rel=1e-6)
    assert abs(epoch.loss - epoch.mean_of_batches) > 1e-3


def test_an_epochs_loss_counts_targets_and_not_examples():
    contexts, targets = whole_sentences([[1, 4, 2], [1, 5, 6, 7, 2]], pad_id=0)
    recipe = short(epochs=1, batch_size=1, learning_rate=STILL)
    trainer = make_trainer(recipe, examples=(contexts, targets))
    expected = frozen(trainer).loss(contexts, targets)
    assert trainer.epoch(1).loss == pytest.approx(expected, rel=1e-6)
    assert trainer.loss() == pytest.approx(expected, rel=1e-6)


def test_in_equal_batches_both_measures_agree():
    epoch = make_trainer(short(batch_size=19)).epoch(1)
    assert epoch.loss == pytest.approx(epoch.mean_of_batches, rel=1e-12)


# Its end


def test_a_loss_that_is_not_finite_stops_it_at_that_step():
    trainer = make_trainer(short(learning_rate=1e30))
    with pytest.raises(PellucidError, match=r"nan at step 2 of 20: .* learning_rate below 1e\+30"):
        trainer.run()


def test_the_step_that_fails_leaves_the_parameters_alone():
    trainer = make_trainer(short())
    trainer.parameters["head.b"][0] = np.nan
    before = trainer.parameters.buffer.copy()
    with pytest.raises(PellucidError, match="at step 1 of 20"):
        trainer.run()
    np.testing.assert_array_equal(trainer.parameters.buffer, before)


def test_parameters_that_the_last_step_ruined_are_found_out():
    trainer = make_trainer(short(epochs=1, batch_size=76, learning_rate=1e30))
    trainer.run()
    with pytest.raises(PellucidError, match="after the last of 1 steps"):
        trainer.loss()


def test_examples_and_seed_are_checked():
    nothing = np.zeros((0, 4), dtype=np.int64)
    with pytest.raises(PellucidError, match="n=0"):
        make_trainer(short(), examples=(nothing, nothing))
    with pytest.raises(PellucidError, match="seed=-1"):
        make_trainer(short(), seed=-1)
