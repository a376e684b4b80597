"""A training run by itself: what it came to, in figures that are the run's own."""

from dataclasses import replace
from pathlib import Path

import pytest

from pellucid.text.documents import Document
from pellucid.training.text_run import TextRun
from pellucid.training.train import train
from pellucid.views.html import to_html
from pellucid.views.runs import run_blocks
from pellucid.views.scene import Curve, Heading, Table
from tests.views.html.parsed import parsed, words


@pytest.fixture(scope="module")
def text_run():
    story = Document.of("The fox met the owl. The owl met the fox again. " * 40)
    run = train(
        story, preset="nano", steps=4, every=2, n_layer=1, n_head=1, n_embd=8, block_size=16
    )
    assert isinstance(run, TextRun)
    return run


@pytest.fixture(scope="module")
def sentence_run():
    return train(["the sun is warm", "the moon is cold"], preset="baby-groot", seed=3)


def facts(blocks):
    (table,) = (block for block in blocks if isinstance(block, Table))
    return {str(name): str(value) for name, value in table.rows}


def test_a_run_on_sentences_says_how_near_it_came_to_the_floor(sentence_run):
    heading, table, curve = run_blocks(sentence_run)
    assert heading == Heading(f"A training: loss {sentence_run.loss:.4f} nats per token", level=2)
    said = facts((table,))
    assert said["floor"].startswith(f"{sentence_run.floor:.4f} nats")
    assert said["above the floor"] == f"{sentence_run.loss - sentence_run.floor:.4f}"
    assert said["epochs"] == str(len(sentence_run.history))
    assert said["seed"] == "3"
    assert isinstance(curve, Curve)


def test_a_run_on_text_says_when_its_model_was_best(text_run):
    heading, table, curve = run_blocks(text_run)
    assert isinstance(heading, Heading)
    assert f"{text_run.loss:.4f}" in heading.text
    said = facts((table,))
    assert said["the model after"] == f"{text_run.best_step} of 4 steps"
    assert said["parameters"] == f"{text_run.model.n_parameters:,}"
    assert "folder" not in said
    assert isinstance(curve, Curve)


def test_a_run_that_was_stopped_says_so_and_one_without_steps_has_no_curve(text_run):
    stopped = replace(text_run, finished=False, folder=Path("runs/mine"), history=())
    heading, table = run_blocks(stopped)
    assert isinstance(heading, Heading)
    assert heading.text.startswith("A training that was stopped: loss ")
    assert facts((table,))["folder"] == str(Path("runs/mine"))
    nothing = replace(text_run, loss=None)
    assert run_blocks(nothing)[0] == Heading("A training: no loss", level=2)


def test_a_notebook_shows_all_of_it(text_run, sentence_run):
    for run in (text_run, sentence_run):
        assert run._repr_html_() == to_html(run)
        root = parsed(to_html(run))
        said = words(root)
        assert all(value in said for value in facts(run_blocks(run)).values())
        assert len(list(root.iter("svg"))) == 2
