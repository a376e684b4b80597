"""The figures of a training that has not begun are those that it then has."""

import math
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.decoder.costs import costs
from pellucid.training.preflight import memory_needed, preflight, shortage
from pellucid.training.preparation import prepare
from pellucid.training.rehearsal import rehearse
from pellucid.training.trainers import make_trainer
from tests.training.texts import DOCUMENT, SMALL, TEXT

OPTIONS: Any = {name: value for name, value in SMALL.items() if name != "threads"}


def figures(**options):
    return rehearse(DOCUMENT, threads=1, options=OPTIONS | options)


def test_the_text_is_measured():
    found = figures(validation=0.25)
    assert found.characters == len(TEXT)
    assert found.bytes == len(TEXT.encode())
    assert found.documents == 1
    assert found.tokens == len(TEXT) + 1
    assert found.training_tokens + found.validation_tokens == found.tokens
    assert found.validation_tokens == round(0.25 * found.tokens)
    assert found.vocab_size == len(set(TEXT)) + 1
    assert found.tokenizer == "character"
    assert found.tokens_per_character == found.tokens / len(TEXT)


def test_the_baselines_fall():
    found = figures().baselines
    assert found.uniform == pytest.approx(math.log(len(set(TEXT)) + 1))
    assert found.uniform > found.unigram > found.bigram > 0


def test_the_run_is_counted():
    found = figures(steps=50, batch_size=6, accumulate=2)
    assert (found.steps, found.steps_taken, found.tokens_per_step) == (50, 0, 6 * 8)
    assert found.epochs == 50 * 48 / found.training_tokens
    assert found.seconds == pytest.approx(50 * found.seconds_per_step)
    assert found.threads == 1


def test_the_model_is_counted():
    run = pellucid.train(DOCUMENT, **SMALL | {"steps": 1})
    found = run.preflight
    assert found.parameters == run.model.n_parameters
    assert {*found.decayed, *found.not_decayed} == set(run.model.parameters)
    for name in found.decayed:
        assert run.model.parameters[name].ndim == 2
    assert "token_embedding" in found.not_decayed
    assert "final_norm.gamma" in found.not_decayed
    assert found.flops_per_step == 3 * 4 * costs(run.model.config).flops(8)


def test_looking_ahead_changes_nothing():
    prepared = prepare(DOCUMENT, options=OPTIONS)
    plain, looked_at = make_trainer(prepared), make_trainer(prepared)
    preflight(prepared, looked_at, threads=1)
    for _ in range(3):
        assert plain.step().loss == looked_at.step().loss
    for name, array in plain.learner.parameters.items():
        np.testing.assert_array_equal(array, looked_at.learner.parameters[name])


def test_of_a_part_that_takes_long_a_single_window_is_timed(monkeypatch):
    prepared = prepare(DOCUMENT, options=OPTIONS)
    trainer = make_trainer(prepared)
    batch = trainer.recipe.batch_size
    sizes = []
    monkeypatch.setattr(trainer.learner, "rehearse", lambda part: sizes.append(len(part.ids)))
    # A clock by which each window takes a second.
    monkeypatch.setattr("pellucid.training.preflight.perf_counter", lambda: sum(sizes))
    whole = preflight(prepared, trainer, threads=1).seconds_per_step
    monkeypatch.setattr("pellucid.training.preflight.MOST_REHEARSED", 0)
    single = preflight(prepared, trainer, threads=1).seconds_per_step
    assert whole == single == batch > 1
    assert set(sizes[:4]) == {batch}
    assert set(sizes[4:]) == {1}


def test_a_resumed_run_has_fewer_steps_ahead(tmp_path):
    pellucid.train(DOCUMENT, out=tmp_path, **SMALL)
    found = pellucid.train(resume=tmp_path, steps=20).preflight
    assert (found.steps, found.steps_taken) == (20, 12)
    assert found.seconds == pytest.approx(8 * found.seconds_per_step)


def test_more_parts_need_less_memory():
    def needed(**options):
        return memory_needed(make_trainer(prepare(DOCUMENT, options=OPTIONS | options)), 8)

    whole, parts = needed(batch_size=64), needed(batch_size=64, accumulate=16)
    assert parts < whole / 8
    assert needed(batch_size=64, dropout=0.1) > whole


def test_memory_is_what_a_step_takes():
    """Within half of what NumPy asks for at its height, which the figure is there to foresee."""
    import tracemalloc

    options: Any = {"n_layer": 2, "n_head": 2, "n_embd": 64, "block_size": 64, "batch_size": 16}
    prepared = prepare(DOCUMENT, options=options)
    tracemalloc.start()
    trainer = make_trainer(prepared)
    trainer.step()
    trainer.step()
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.67 < memory_needed(trainer, 64) / taken < 1.5


def test_a_shortage_of_memory_is_said():
    found = figures()
    assert found.memory_there is None or shortage(found) == ""
    assert shortage(replace(found, memory_there=None)) == ""
    few = replace(found, memory_needed=3_000_000_000, memory_there=2_000_000_000)
    assert "takes about 3 GB of memory, and 2 GB are there" in shortage(few)
    assert shortage(replace(few, memory_there=3_000_000_000)) == ""


def test_the_speed_is_that_of_the_steps():
    """Tokens per second are tokens over a difference of two clock readings, and so is the rest."""
    started = perf_counter()
    run = pellucid.train(DOCUMENT, **SMALL | {"steps": 30, "every": 100})
    elapsed = perf_counter() - started
    seconds = sum(step.seconds for step in run.history)
    assert 0 < seconds < run.seconds < elapsed
    for step in run.history:
        assert step.tokens_per_second * step.seconds == pytest.approx(step.tokens)
    assert sum(step.tokens for step in run.history) == 30 * 4 * 8
