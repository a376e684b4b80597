"""One front door: sentences or running text, and options that are checked with words."""

import subprocess
import sys

import pytest

import pellucid
from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.training.recipes import RECIPES
from pellucid.training.run import TrainingRun
from pellucid.training.text_recipe import TEXT_RECIPES, changed
from pellucid.training.text_run import TextRun
from pellucid.training.train import learns_sentences
from tests.training.texts import DOCUMENT, SMALL

ONE_STEP = changed(TEXT_RECIPES["nano"], steps=1, batch_size=2)


@pytest.mark.parametrize(
    ("shape", "recipe", "sentences"),
    [
        ("baby-groot", None, True),
        ("baby-groot", "notebook", True),
        (None, RECIPES["default"], True),
        ("nano", RECIPES["default"], True),
        (None, "notebook", True),
        (None, None, False),
        ("nano", None, False),
        ("gpt2", None, False),
        (preset("baby-groot"), None, False),
        ("baby-groot", "nano", False),
        ("baby-groot", ONE_STEP, False),
        (None, "micro", False),
    ],
)
def test_the_recipe_decides_what_is_learned_or_else_the_preset(shape, recipe, sentences):
    assert learns_sentences(shape, recipe) is sentences


def test_baby_groot_learns_its_sentences():
    run = pellucid.train(preset="baby-groot")
    assert isinstance(run, TrainingRun)
    assert run.model.config == preset("baby-groot")


def test_a_text_makes_a_text_run():
    run = pellucid.train(DOCUMENT, **SMALL)
    assert isinstance(run, TextRun)
    assert run.finished
    assert run.recipe.steps == len(run.history) == 12
    assert "Step" not in repr(run)


def test_the_stories_are_read_unless_a_text_is_given():
    run = pellucid.train(recipe=ONE_STEP, n_layer=1, n_embd=8, block_size=8, threads=1)
    assert run.preflight.documents > 10
    assert run.preflight.characters > 50_000


def test_it_prints_nothing():
    command = "import pellucid; pellucid.train(steps=1, n_layer=1, n_embd=8, block_size=8)"
    found = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    )
    assert (found.stdout, found.stderr) == ("", "")


def test_options_that_are_none_are_not_given():
    run = pellucid.train(DOCUMENT, **SMALL, dropout=None, tokenizer=None, clip=None)
    assert run.recipe.clip == TEXT_RECIPES["nano"].clip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 5}, r'no option "step"\. Did you mean steps'),
        ({"batchsize": 5}, "Did you mean batch_size"),
        ({"preset": "nanno"}, "Did you mean nano"),
        ({"recipe": "micr"}, "Did you mean micro"),
        ({"steps": 0}, "steps=0 must be a whole number, at least 1"),
        ({"schedule": "cosin"}, "schedule='cosin' is not one of constant, linear, cosine"),
        ({"seed": -1}, "seed=-1"),
        ({"dtype": "half"}, "dtype='half'"),
        ({"threads": -1}, "threads=-1"),
        ({"n_embd": 10, "n_head": 3}, "n_embd=10 does not divide"),
        ({"block_size": 0}, "block_size=0"),
        ({"validation": 1.5}, "validation=1.5"),
        ({"preset": "baby-groot", "steps": 5}, "steps=5 is for training on running text"),
        ({"from_model": "baby-groot", "recipe": RECIPES["default"]}, "give a TextRecipe"),
    ],
)
def test_options_are_checked_with_words(options, message):
    with pytest.raises(PellucidError, match=message):
        pellucid.train(DOCUMENT, **options)


def test_a_refused_text_leaves_no_folder(tmp_path):
    with pytest.raises(PellucidError):
        pellucid.train(tmp_path / "nowhere.txt", out=tmp_path / "run")
    assert not list(tmp_path.iterdir())
