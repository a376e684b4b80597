"""PyTorch trains as the NumPy engine does: the same steps, whatever the options."""

from typing import Any

import msgspec
import numpy as np
import pytest
import torch

import pellucid
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.training.execution import Execution
from pellucid.training.moments import whole
from pellucid.training.ranks import ALONE
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.threads import pinned
from pellucid.training.trainers import make_learner
from tests.small_models import small_config
from tests.training.texts import DOCUMENT, SMALL

CONFIG = small_config()
IDS = np.random.default_rng(0).integers(0, CONFIG.vocab_size, 500)
RECIPE = TextRecipe(steps=8, batch_size=32, learning_rate=0.01, warmup=2, clip=0.05)
TORCH = Execution(engine="torch", device="cpu")


@pytest.fixture(autouse=True)
def one_thread():
    """Several are no faster on so little."""
    with pinned(1, "torch"):
        yield


def trainer_of(execution, *, dtype="float64", config=CONFIG, **changes):
    start = Model.from_config(config, seed=3, dtype=dtype)
    recipe = msgspec.structs.replace(RECIPE, **changes)
    learner = make_learner(start, recipe, execution, ALONE)
    return TextTrainer(
        start, IDS, recipe=recipe, block_size=config.block_size, seed=0, learner=learner
    )


def trained(execution, **options):
    trainer = trainer_of(execution, **options)
    return trainer, [trainer.step() for _ in range(trainer.recipe.steps)]


def assert_same_parameters(trainer, other, **tolerance):
    expected = other.learner.parameters
    for name, array in trainer.learner.parameters.items():
        np.testing.assert_allclose(array, expected[name], err_msg=name, **tolerance)


# The same numbers


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"accumulate": 5},
        {"dropout": 0.2},
        {"dropout": 0.2, "accumulate": 3},
        {"clip": 0.0, "weight_decay": 0.5},
        {"schedule": "linear", "beta2": 0.999},
    ],
)
def test_steps_are_those_of_the_numpy_engine(changes):
    ours, reports = trained(TORCH, **changes)
    expected, others = trained(Execution(), **changes)
    for report, other in zip(reports, others, strict=True):
        assert report.loss == pytest.approx(other.loss, rel=1e-12)
        assert report.gradient_norm == pytest.approx(other.gradient_norm, rel=1e-10)
        assert report.learning_rate == other.learning_rate
        assert report.tokens == other.tokens
    assert_same_parameters(ours, expected, atol=1e-12)


def test_in_float32_they_are_so_but_for_rounding():
    ours, reports = trained(TORCH, dtype="float32", dropout=0.1)
    expected, others = trained(Execution(), dtype="float32", dropout=0.1)
    np.testing.assert_allclose([r.loss for r in reports], [r.loss for r in others], rtol=1e-5)
    assert_same_parameters(ours, expected, atol=1e-4)


@pytest.mark.parametrize("option", ["tied head", "post norm"])
def test_another_decoder_is_trained_alike(option):
    config = small_config(option)
    ours, _ = trained(TORCH, config=config)
    expected, _ = trained(Execution(), config=config)
    assert_same_parameters(ours, expected, atol=1e-12)


def test_what_is_not_trained_on_is_judged_with_nothing_left_out():
    ours, expected = (trainer_of(each, dropout=0.5) for each in (TORCH, Execution()))
    ids, targets = ours.windows.batch(0)
    targets[0, :3] = -1
    losses, others = (each.learner.losses(ids, targets) for each in (ours, expected))
    np.testing.assert_allclose(losses, others, atol=1e-12)
    assert (losses[0, :3] == 0).all()


def test_working_a_block_out_again_changes_nothing_but_memory():
    again = msgspec.structs.replace(TORCH, checkpoint_activations=True)
    ours, reports = trained(again, dropout=0.2)
    expected, others = trained(TORCH, dropout=0.2)
    assert [r.loss for r in reports] == [r.loss for r in others]
    assert_same_parameters(ours, expected, rtol=0)


def test_in_bfloat16_products_are_rounded_and_the_parameters_are_not():
    ours, reports = trained(msgspec.structs.replace(TORCH, autocast=True), dtype="float32")
    _, others = trained(TORCH, dtype="float32")
    apart = [abs(r.loss - o.loss) for r, o in zip(reports, others, strict=True)]
    assert 0 < max(apart) < 0.01
    assert {array.dtype for array in ours.learner.parameters.values()} == {np.dtype("float32")}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyTorch warns of its own doings.
def test_compiled_blocks_train_alike():
    ours, reports = trained(msgspec.structs.replace(TORCH, compile=True), steps=3, dropout=0.1)
    expected, others = trained(TORCH, steps=3, dropout=0.1)
    np.testing.assert_allclose([r.loss for r in reports], [r.loss for r in others], rtol=1e-10)
    assert_same_parameters(ours, expected, atol=1e-10)


# On a GPU


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")
@pytest.mark.parametrize("changes", [{}, {"dropout": 0.2, "accumulate": 3}])
def test_a_gpu_trains_alike(changes):
    ours, reports = trained(Execution(engine="torch", device="cuda"), **changes)
    expected, others = trained(Execution(), **changes)
    np.testing.assert_allclose([r.loss for r in reports], [r.loss for r in others], rtol=1e-9)
    assert_same_parameters(ours, expected, atol=1e-9)


# What decides a step


def test_state_is_all_that_a_step_depends_on():
    unbroken, _ = trained(TORCH, dtype="float32", dropout=0.2)
    first = trainer_of(TORCH, dtype="float32", dropout=0.2)
    for _ in range(3):
        first.step()
    second = trainer_of(TORCH, dtype="float32", dropout=0.2)
    start = first.model()
    second.start = start
    second.learner = make_learner(start, second.recipe, TORCH, ALONE)
    moments = whole(first.learner.state(), start.specs)
    assert moments is not None
    second.learner.restore(moments)
    second.steps_taken = 3
    while not second.finished:
        second.step()
    assert_same_parameters(second, unbroken, rtol=0)


def test_the_start_is_left_as_it_was():
    trainer, _ = trained(TORCH)
    fresh = Model.from_config(CONFIG, seed=3, dtype="float64")
    for name, array in trainer.start.parameters.items():
        np.testing.assert_array_equal(array, fresh.parameters[name])


def test_looking_ahead_changes_nothing():
    plain, looked_at = trainer_of(TORCH, dropout=0.1), trainer_of(TORCH, dropout=0.1)
    looked_at.learner.rehearse(looked_at.parts(0)[0])
    assert plain.step() != looked_at.step()  # They took another time.
    assert_same_parameters(plain, looked_at, rtol=0)


# From one engine to the other


@pytest.mark.parametrize(("first", "second"), [("numpy", "torch"), ("torch", "numpy")])
def test_a_run_goes_on_with_another_engine(tmp_path, first, second):
    options: Any = SMALL | {"dropout": 0.1, "accumulate": 2}
    unbroken = pellucid.train(DOCUMENT, engine=second, **options)
    steps: list[object] = []
    pellucid.train(
        DOCUMENT,
        engine=first,
        out=tmp_path,
        on_step=steps.append,
        stop=lambda: len(steps) == 6,
        **options,
    )
    notices: list[str] = []
    run = pellucid.train(resume=tmp_path, engine=second, on_notice=notices.append)
    assert [step.step for step in run.history] == list(range(7, 13))
    np.testing.assert_allclose(
        [step.loss for step in run.history],
        [step.loss for step in unbroken.history[6:]],
        atol=1e-5,
    )
    assert f"engine {second} instead of {first}" in notices[0]


def test_a_run_goes_on_as_it_was_carried_out(tmp_path):
    how: Any = {"engine": "torch", "device": "cpu", "checkpoint_activations": True}
    pellucid.train(DOCUMENT, out=tmp_path, dtype="bfloat16", stop=lambda: True, **how, **SMALL)
    notices: list[str] = []
    run = pellucid.train(resume=tmp_path, on_notice=notices.append)
    assert run.preflight.engine == "torch"
    assert notices == []
    again = pellucid.train(DOCUMENT, dtype="bfloat16", **how, **SMALL)
    assert [s.loss for s in run.history] == [s.loss for s in again.history[1:]]


# What stops it


def test_a_loss_that_is_not_finite_names_the_step_and_the_first_tensor():
    trainer = trainer_of(TORCH, dtype="float32", dropout=0.1, accumulate=4)
    trainer.step()
    with pytest.raises(PellucidError, match=r"At step 2 of 8 .* the parameter head\.b has 1 NaN"):
        spoil(trainer, "head.b")
    assert trainer.steps_taken == 1


def spoil(trainer, name):
    """Put a NaN into a parameter and take a step."""
    with torch.no_grad():
        trainer.learner.named[name][3] = torch.nan
    assert not trainer.learner.is_finite()
    trainer.step()


def test_memory_that_runs_out_is_said_with_what_takes_less():
    """Logits of 140 TB are more than any machine addresses, and nothing before them is large."""
    config = CONFIG.replace(vocab_size=20_000_000, n_embd=1, n_head=1, d_mlp=1, tied_head=True)
    config = config.replace(n_layer=1, head_bias=False)
    start = Model.from_config(config)
    recipe = msgspec.structs.replace(RECIPE, batch_size=300_000, accumulate=1)
    learner = make_learner(start, recipe, TORCH, ALONE)
    trainer = TextTrainer(
        start, IDS, recipe=recipe, block_size=config.block_size, seed=0, learner=learner
    )
    with pytest.raises(
        PellucidError,
        match=r"The memory of cpu has run out\. .* accumulate \(now 1\), a smaller batch_size "
        r"\(now 300000\), checkpoint_activations",
    ):
        trainer.step()
