"""What goes on between the steps: validation, samples, the best model, and stopping."""

import json
import math
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.text.documents import Document
from pellucid.training.evaluate import evaluate
from pellucid.training.preparation import prepare
from pellucid.training.reports import Sample, TrainingStep, Validation
from pellucid.training.text_training import MOST_VALIDATED, PROMPT_TOKENS
from pellucid.training.threads import pinned
from tests.training.texts import DOCUMENT, SMALL

PAGE = (
    "It was a quiet town by the sea, and every morning an old man walked to the harbour before "
    "the boats came in. Nobody knew how long he had lived there; children said that he had built "
    "the lighthouse with his own hands, and that its lamp was really a clock."
)


def train(**changes):
    return pellucid.train(DOCUMENT, **SMALL | changes)


def evaluated(model, ids):
    """On as many threads as the training has: more add up in another order."""
    with pinned(SMALL["threads"]):
        return evaluate(model, ids)


def held_out():
    options: Any = {name: value for name, value in SMALL.items() if name != "threads"}
    return prepare(DOCUMENT, options=options).validation


# Validation


def test_it_is_at_the_beginning_at_intervals_and_at_the_end():
    seen: list[Validation] = []
    run = train(on_validation=seen.append)
    assert [report.step for report in seen] == [0, 5, 10, 12]
    assert run.validations == tuple(seen)
    assert [report.step for report in train(steps=10).validations] == [0, 5, 10]


def test_it_is_over_every_token_that_is_held_out():
    run = train()
    found = evaluated(run.model, held_out())
    assert run.loss == found.loss
    (report,) = [report for report in run.validations if report.step == run.best_step]
    assert (report.loss, report.bits_per_byte) == (found.loss, found.bits_per_byte)
    assert report.perplexity == math.exp(report.loss)


def test_of_much_text_the_first_tokens_are_validated():
    text = Document.of("the owl saw the fox. " * 26_000)
    run = pellucid.train(text, **SMALL | {"steps": 1})
    assert run.preflight.validation_tokens > MOST_VALIDATED
    options: Any = {"block_size": 8}
    first = prepare(text, options=options).validation[:MOST_VALIDATED]
    assert run.loss == evaluated(run.model, first).loss


def test_dropout_is_for_training_alone():
    at_first = [train(dropout=rate, steps=1).validations[0].loss for rate in (0.0, 0.5)]
    assert at_first[0] == at_first[1]
    assert evaluated(train(dropout=0.5).model, held_out()).loss == train(dropout=0.5).loss


def test_learning_lowers_it():
    run = train(steps=150, every=50)
    losses = [report.loss for report in run.validations]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.5
    assert run.history[-1].loss < run.history[0].loss - 0.5


# The best model


def test_the_run_hands_out_the_best_and_not_the_last():
    run = train(steps=60, learning_rate=0.3, clip=0, schedule="constant")
    losses = {report.step: report.loss for report in run.validations}
    assert run.best_step == min(losses, key=losses.__getitem__) != 60
    assert run.loss == losses[run.best_step]
    assert [report.step for report in run.validations if report.best][-1] == run.best_step


def test_without_validation_it_is_the_last():
    run = train(validation=0)
    assert run.validations == ()
    assert run.best_step == 12
    assert run.loss == run.history[-1].loss


def test_going_on_from_a_model_may_not_make_it_worse():
    first = train(steps=100, every=100).model
    run = train_further(first, learning_rate=5.0)
    assert run.best_step == 0
    for name, array in first.parameters.items():
        np.testing.assert_array_equal(run.model.parameters[name], array)
    assert train_further(first, learning_rate=1e-3, steps=50).loss <= run.loss


def train_further(model, **changes):
    options = {name: SMALL[name] for name in ("steps", "batch_size", "every", "threads")}
    return pellucid.train(DOCUMENT, from_model=model, **options | changes)


# The last model


def as_decided(**changes):
    return train(keep=None, **changes)


def test_of_a_text_that_is_learned_by_heart_the_last_model_is_handed_out(tmp_path):
    run = as_decided(steps=60, learning_rate=0.3, clip=0, schedule="constant", out=tmp_path)
    losses = {report.step: report.loss for report in run.validations}
    assert run.best_step == 60
    assert run.loss == losses[60] > min(losses.values())
    assert evaluated(run.model, held_out()).loss == losses[60]
    assert evaluated(pellucid.load(tmp_path), held_out()).loss == losses[60]


def test_the_best_by_validation_is_kept_beside_it(tmp_path):
    run = as_decided(steps=60, learning_rate=0.3, clip=0, schedule="constant", out=tmp_path)
    best = min(run.validations, key=lambda report: report.loss)
    found = evaluated(pellucid.load(tmp_path / "checkpoints" / str(best.step)), held_out())
    assert found.loss == best.loss < run.loss


def test_a_page_is_written_from_memory_after_its_training():
    run = pellucid.train(
        Document.of(PAGE),
        n_layer=1,
        n_head=2,
        n_embd=64,
        block_size=16,
        steps=250,
        learning_rate=5e-3,
        threads=1,
    )
    assert min(run.validations, key=lambda report: report.loss).step == 0
    assert run.model.generate_text(PAGE[:8], max_new_tokens=40) == PAGE[:48]


def test_a_stop_before_time_shows_the_last_too(tmp_path):
    steps: list[TrainingStep] = []
    run = as_decided(
        learning_rate=5.0, clip=0, out=tmp_path, on_step=steps.append, stop=lambda: len(steps) == 7
    )
    assert run.best_step == 7
    assert run.loss == run.validations[-1].loss > run.validations[0].loss


def test_what_was_decided_holds_where_a_run_is_resumed(tmp_path):
    as_decided(learning_rate=5.0, clip=0, out=tmp_path)
    again = pellucid.train(DOCUMENT, resume=tmp_path)
    weights = (tmp_path / "model.safetensors").read_bytes()
    assert weights == (tmp_path / "checkpoints" / "12" / "model.safetensors").read_bytes()
    assert (again.best_step, again.history) == (12, ())
    assert again.loss == evaluated(again.model, held_out()).loss
    assert pellucid.train(DOCUMENT, resume=tmp_path, steps=14).best_step == 14


def test_asking_for_the_best_or_the_last_goes_before_the_length_of_the_text():
    high = {"learning_rate": 5.0, "clip": 0}
    assert train(keep="best", **high).best_step == 0
    model = train(steps=1).model
    assert train_further(model, keep="last", **high).best_step == 12


# Samples and notices


def test_a_sample_goes_on_from_the_first_tokens_held_out():
    seen: list[Sample] = []
    run = train(on_sample=seen.append)
    assert [sample.step for sample in seen] == [0, 5, 10, 12]
    prompt = run.model.tokenizer.decode(held_out()[:PROMPT_TOKENS].tolist())
    assert {sample.prompt for sample in seen} == {prompt}
    assert all(sample.text for sample in seen)
    assert len({sample.text for sample in seen}) > 1


def test_a_sample_of_words_has_spaces_between_them():
    seen: list[Sample] = []
    run = train(tokenizer="word", on_sample=seen.append)
    words = set(run.model.tokenizer.tokens)
    assert all(set((sample.prompt + sample.text).split()) <= words for sample in seen)


def test_listening_changes_nothing(tmp_path):
    train(out=tmp_path / "quiet")
    told: list[object] = []
    train(
        out=tmp_path / "loud",
        on_step=told.append,
        on_validation=told.append,
        on_sample=told.append,
        on_preflight=told.append,
        on_notice=told.append,
    )
    assert len(told) == 12 + 4 + 4 + 1
    for name in ("metrics.jsonl", "model.safetensors"):
        quiet, loud = ((tmp_path / folder / name).read_bytes() for folder in ("quiet", "loud"))
        assert quiet == loud


# Stopping


def test_it_stops_after_the_step_at_which_it_is_asked_and_says_how_to_go_on(tmp_path):
    steps: list[TrainingStep] = []
    notices: list[str] = []
    run = train(
        out=tmp_path,
        on_step=steps.append,
        on_notice=notices.append,
        stop=lambda: len(steps) == 7,
    )
    assert (len(run.history), run.finished) == (7, False)
    assert notices == [f"Stopped after step 7 of 12. Go on with --resume {tmp_path}."]
    assert json.loads((tmp_path / "training.json").read_text())["checkpoint"] == 7


def test_a_stop_at_an_interval_validates_once(tmp_path):
    run = train(out=tmp_path, stop=lambda: (tmp_path / "checkpoints" / "0").exists(), every=1)
    assert [report.step for report in run.validations] == [0, 1]


def test_a_stop_before_time_is_no_part_of_the_metrics(tmp_path):
    seen: list[Validation] = []
    steps: list[TrainingStep] = []
    train(
        out=tmp_path, on_validation=seen.append, on_step=steps.append, stop=lambda: len(steps) == 7
    )
    assert [report.step for report in seen] == [0, 5, 7]
    lines = map(json.loads, (tmp_path / "metrics.jsonl").read_text().splitlines())
    assert [line["step"] for line in lines if "validation_loss" in line] == [0, 5]


def test_without_a_folder_it_stops_too_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = train(stop=lambda: True)
    assert (len(run.history), run.finished, run.folder) == (1, False, None)
    assert not list(tmp_path.iterdir())


# What goes wrong


def test_parameters_that_the_last_step_ruined_are_not_saved(tmp_path):
    with pytest.raises(PellucidError, match=r"learning_rate.*The checkpoint after step 0 in"):
        train(out=tmp_path, steps=1, learning_rate=1e38, clip=0)
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["0"]
