"""The default recipe brings BabyGroot to the floor from any seed, and made the shipped weights."""

import numpy as np
import pytest

import pellucid
from pellucid.text.batches import training_pairs
from pellucid.text.corpora import GROOT
from pellucid.text.statistics import conditional_distributions
from pellucid.training.recipes import RECIPES

NEAR_THE_FLOOR = 0.740
PROMPTS = ("i am", "groot is", "tree needs", "rocket helps", "friend", "")


@pytest.fixture(scope="module")
def retrained():
    return pellucid.train(preset="baby-groot", seed=0)


@pytest.fixture(scope="module")
def shipped():
    return pellucid.load("baby-groot")


def loss_over_all_pairs(model):
    pairs = training_pairs(model.tokenizer.sequences(GROOT), pad_id=model.tokenizer.pad_id)
    assert len(pairs) == 76
    return model.loss(pairs.contexts, pairs.targets)


def test_it_ends_near_the_floor_and_not_below(retrained):
    assert retrained.floor < loss_over_all_pairs(retrained.model) <= NEAR_THE_FLOOR


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 10))
def test_it_ends_near_the_floor_from_other_seeds(seed):
    run = pellucid.train(preset="baby-groot", seed=seed)
    assert run.floor < loss_over_all_pairs(run.model) <= NEAR_THE_FLOOR


def test_the_rate_falls_almost_to_nothing(retrained):
    rates = [epoch.learning_rate for epoch in retrained.history]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < RECIPES["default"].learning_rate / 1000


def test_the_model_has_learned_what_follows_what(retrained):
    """Every context's distribution is the corpus's own: a third each after "groot likes"."""
    model = retrained.model
    pairs = training_pairs(model.tokenizer.sequences(GROOT), pad_id=0)
    for context, expected in conditional_distributions(pairs).items():
        logits = model.logits([context])[0, -1].astype(np.float64)
        learned = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
        truth = np.zeros(model.config.vocab_size)
        truth[list(expected)] = list(expected.values())
        np.testing.assert_allclose(learned, truth, atol=0.02, err_msg=str(context))


def test_the_shipped_weights_are_the_retrained_ones(shipped, retrained):
    """Not to the bit: another BLAS adds in another order, and 200 steps carry that on.

    Trained in float64 they differ by 2e-4. Only the bias of the keys may be anything: it shifts a
    row of scores as a whole, which softmax does not see, so that its gradient is rounding alone.
    """
    assert shipped.config == retrained.model.config
    assert shipped.tokenizer.tokens == retrained.model.tokenizer.tokens
    assert loss_over_all_pairs(shipped) == pytest.approx(retrained.loss, abs=1e-4)
    for prompt in PROMPTS:
        assert shipped.generate_text(prompt) == retrained.model.generate_text(prompt)
    for name, array in retrained.model.parameters.items():
        if not name.endswith("attn.b_k"):
            np.testing.assert_allclose(shipped.parameters[name], array, atol=1e-3, err_msg=name)
