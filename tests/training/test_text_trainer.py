"""Steps on windows of text: the mathematics, whatever the parts; and what decides them."""

import msgspec
import numpy as np
import pytest
import torch

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.training.moments import whole
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer
from tests.parity import torch_decoder
from tests.small_models import small_config

CONFIG = small_config()
IDS = np.random.default_rng(0).integers(0, CONFIG.vocab_size, 500)
RECIPE = TextRecipe(steps=6, batch_size=32, learning_rate=0.01, warmup=2, clip=0.5)


def trainer_of(*, seed=0, dtype="float64", start=None, ids=IDS, **changes):
    start = start or Model.from_config(CONFIG, seed=3, dtype=dtype)
    recipe = msgspec.structs.replace(RECIPE, **changes)
    return TextTrainer(start, ids, recipe=recipe, block_size=CONFIG.block_size, seed=seed)


def gradients(step=0, **options):
    trainer = trainer_of(**options)
    loss, _ = trainer.learner.loss_and_gradients(trainer.parts(step))
    return loss, trainer.learner.gradients.buffer.copy()


def trained(**options):
    trainer = trainer_of(**options)
    reports = [trainer.step() for _ in range(trainer.recipe.steps)]
    return trainer, reports


# The mathematics


@pytest.mark.parametrize("schedule", ["cosine", "linear", "constant"])
def test_it_trains_as_torch_does(schedule):
    trainer = trainer_of(schedule=schedule, accumulate=2, clip=0.05)
    recipe = trainer.recipe
    parameters = {
        name: torch.tensor(array, requires_grad=True)
        for name, array in trainer.learner.parameters.items()
    }
    kinds = {name: spec.kind for name, spec in trainer.learner.parameters.specs.items()}
    decayed = [p for name, p in parameters.items() if kinds[name] == "matrix"]
    spared = [p for name, p in parameters.items() if kinds[name] != "matrix"]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": recipe.weight_decay}, {"params": spared}],
        betas=(recipe.beta1, recipe.beta2),
        eps=recipe.epsilon,
        weight_decay=0,
    )
    for step in range(recipe.steps):
        ids, targets = map(torch.tensor, trainer.windows.batch(step))
        for group in optimizer.param_groups:
            group["lr"] = trainer.learning_rate(step)
        loss = torch_decoder.loss(CONFIG, parameters, ids, targets)
        optimizer.zero_grad()
        loss.backward()
        # Not by clip_grad_norm_, which adds a millionth to the norm.
        norm = torch.nn.utils.get_total_norm([p.grad for p in parameters.values()])
        for parameter in parameters.values():
            parameter.grad *= recipe.clip / norm
        optimizer.step()
        report = trainer.step()
        assert report.loss == pytest.approx(loss.item(), rel=1e-9)
        assert report.gradient_norm == pytest.approx(norm.item(), rel=1e-9)
        assert report.gradient_norm > recipe.clip
    for name, parameter in parameters.items():
        np.testing.assert_allclose(trainer.learner.parameters[name], parameter.detach(), atol=1e-9)


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("accumulate", [2, 5, 32])
def test_parts_of_any_size_give_the_gradients_of_the_whole(accumulate, dropout):
    loss, whole = gradients(dropout=dropout)
    loss_in_parts, in_parts = gradients(dropout=dropout, accumulate=accumulate)
    assert loss_in_parts == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose(in_parts, whole, rtol=1e-9, atol=1e-13)


def test_parts_give_the_same_gradients_in_float32_but_for_rounding():
    loss, whole = gradients(dtype="float32")
    loss_in_parts, in_parts = gradients(dtype="float32", accumulate=32)
    assert loss_in_parts == pytest.approx(loss, rel=1e-6)
    np.testing.assert_allclose(in_parts, whole, rtol=1e-4, atol=1e-7)


def test_the_reported_loss_is_over_the_whole_batch():
    trainer = trainer_of(accumulate=5)
    contexts, targets = trainer.windows.batch(0)
    assert trainer.step().loss == pytest.approx(trainer.start.loss(contexts, targets), rel=1e-12)


def test_only_matrices_decay():
    trainer = trainer_of(weight_decay=0.5, learning_rate=1e-4, clip=0)
    before = {name: array.copy() for name, array in trainer.learner.parameters.items()}
    plain = trainer_of(weight_decay=0.0, learning_rate=1e-4, clip=0)
    trainer.step()
    plain.step()
    rate = trainer.learning_rate(0)
    for name, spec in trainer.learner.parameters.specs.items():
        shrunk = rate * 0.5 * before[name] if spec.kind == "matrix" else np.zeros(spec.shape)
        difference = plain.learner.parameters[name] - trainer.learner.parameters[name]
        np.testing.assert_allclose(difference, shrunk, atol=1e-15, err_msg=name)


# What decides a step


def test_the_windows_of_a_step_do_not_depend_on_the_parts():
    for step in range(40):
        whole = trainer_of(accumulate=1).parts(step)
        parts = trainer_of(accumulate=7).parts(step)
        assert len(parts) == 7
        for name in ("ids", "targets"):
            joined = np.concatenate([getattr(part, name) for part in parts])
            np.testing.assert_array_equal(joined, getattr(whole[0], name))


def test_what_is_left_out_follows_from_seed_and_step():
    def loss(seed, step):
        # The same windows at every step and for every seed: there is only one.
        ids = np.arange(CONFIG.block_size + 1) % CONFIG.vocab_size
        trainer = trainer_of(seed=seed, ids=ids, dropout=0.5, batch_size=2)
        return trainer.learner.loss_and_gradients(trainer.parts(step))

    assert loss(0, 0) == loss(0, 0)
    assert loss(0, 0) != loss(0, 1)
    assert loss(0, 0) != loss(1, 0)


def test_the_texts_of_a_batch_are_left_out_of_differently():
    ids = np.arange(CONFIG.block_size + 1) % CONFIG.vocab_size
    trainer = trainer_of(ids=ids, dropout=0.5, batch_size=2)
    (part,) = trainer.parts(0)
    np.testing.assert_array_equal(part.ids[0], part.ids[1])
    run = trainer.learner.engine.forward(part.given)
    assert np.abs(run["logits"][0] - run["logits"][1]).max() > 1e-3


def test_the_seed_decides_every_number():
    def weights(seed):
        trainer, reports = trained(seed=seed, dtype="float32", dropout=0.1)
        return trainer.learner.parameters.buffer.tobytes(), [report.loss for report in reports]

    assert weights(5) == weights(5)
    assert weights(5) != weights(6)


def test_state_is_all_that_a_step_depends_on():
    """A new trainer with another's parameters and optimizer goes on with the same bits."""
    unbroken, _ = trained(dtype="float32", dropout=0.2)
    first = trainer_of(dtype="float32", dropout=0.2)
    for _ in range(3):
        first.step()
    second = trainer_of(start=first.model(), dropout=0.2)
    moments = whole(first.learner.state(), first.start.specs)
    assert moments is not None
    second.learner.restore(moments)
    second.steps_taken = 3
    while not second.finished:
        second.step()
    assert (
        second.learner.parameters.buffer.tobytes() == unbroken.learner.parameters.buffer.tobytes()
    )


# What it reports


def test_a_report_says_what_the_step_was():
    trainer, reports = trained(steps=4)
    assert [report.step for report in reports] == [1, 2, 3, 4]
    assert {report.steps for report in reports} == {4}
    assert {report.tokens for report in reports} == {32 * CONFIG.block_size}
    assert [report.learning_rate for report in reports] == [
        trainer.learning_rate(step) for step in range(4)
    ]
    assert trainer.finished


def test_the_start_is_left_as_it_was():
    start = Model.from_config(CONFIG, seed=3)
    before = {name: array.copy() for name, array in start.parameters.items()}
    trained(start=start)
    for name, array in start.parameters.items():
        np.testing.assert_array_equal(array, before[name])


# What stops it


def test_a_loss_that_is_not_finite_names_the_step_and_the_first_tensor():
    trainer = trainer_of(dtype="float32")
    trainer.step()
    for name in ("w_q", "w_k"):
        trainer.learner.parameters[f"blocks.1.attn.{name}"][...] *= 1e22
    before = trainer.learner.parameters.buffer.copy()
    with pytest.raises(
        PellucidError,
        match=r"At step 2 of 6 the loss is nan: blocks\.1\.attn\.scores is the first tensor with "
        r".*among.* Train with a learning_rate below 0\.01",
    ):
        trainer.step()
    np.testing.assert_array_equal(trainer.learner.parameters.buffer, before)
    assert trainer.steps_taken == 1


def test_it_is_named_with_dropout_and_in_parts_too():
    trainer = trainer_of(dtype="float32", dropout=0.1, accumulate=4)
    trainer.learner.parameters["head.b"][3] = np.nan
    with pytest.raises(PellucidError, match=r"the parameter head\.b has 1 NaN among 11"):
        trainer.step()


def test_too_short_a_text_is_refused_with_both_lengths():
    with pytest.raises(PellucidError, match=r"has 6 tokens.* block_size=6 takes 7"):
        trainer_of(ids=IDS[:6])
