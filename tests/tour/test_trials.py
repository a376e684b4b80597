"""The trainings of a tour."""

import numpy as np
import pytest

import pellucid
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.corpus import Corpus
from pellucid.tour.trials import MOST_IDS, SHAPE, Trials
from pellucid.training.recipes import RECIPES


def trials_of(sentences, **options):
    return Trials(corpus=Corpus(tuple(sentences), Tokenizer.words(sentences)), **options)


def test_the_untrained_model_is_the_one_that_the_training_began_with():
    trials = trials_of(GROOT, seed=5)
    pairs = trials.corpus.pairs
    assert trials.untrained.config == trials.run.model.config
    # One batch holds the whole corpus, so the first epoch's loss was measured before any step.
    assert trials.run.recipe.batch_size >= len(pairs)
    first = trials.run.history[0].loss
    assert trials.untrained.loss(pairs.contexts, pairs.targets) == pytest.approx(first, rel=1e-6)


def test_the_main_training_is_the_default_one():
    trained, default = trials_of(GROOT).run, pellucid.train(preset="baby-groot", seed=0)
    assert trained.recipe == default.recipe
    for name, values in default.model.parameters.items():
        assert np.array_equal(trained.model.parameters[name], values)


@pytest.mark.parametrize("name", RECIPES)
def test_beside_it_the_embedded_corpus_gets_every_epoch_of_a_recipe(name):
    assert trials_of(GROOT).shortened(RECIPES[name]) == RECIPES[name]


@pytest.mark.parametrize("sentences", [150, 15_000])
def test_a_larger_corpus_gets_fewer(sentences):
    trials = trials_of([f"w{i} w{i + 1} w{i + 2} w{i + 3}" for i in range(sentences)])
    epochs, read = trials.shortened(RECIPES["default"]).epochs, trials.corpus.pairs.contexts.size
    assert 1 <= epochs < RECIPES["default"].epochs
    assert epochs == 1 or epochs * read <= MOST_IDS < (epochs + 1) * read


def test_a_variation_changes_what_it_says_and_nothing_else():
    varied = trials_of(["sun up", "moon"]).variation(n_head=2)
    assert varied.model.config == SHAPE.replace(n_head=2, vocab_size=6, block_size=3)
