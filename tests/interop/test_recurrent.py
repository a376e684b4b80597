"""Torch's RNN and LSTM as models of the decoder's kind."""

import numpy as np
import pytest
import torch

from pellucid.interop.recurrent import pairs_loss, recurrent_like, train_recurrent
from pellucid.text.batches import training_pairs
from pellucid.text.statistics import conditional_entropy
from pellucid.training.recipes import RECIPES
from tests.small_models import OPTIONS, SMALL, small_model

SEQUENCES = ([1, 3, 4, 2], [1, 5, 6, 7, 2], [1, 3, 6, 2])
PAIRS = training_pairs(SEQUENCES, pad_id=0)


@pytest.mark.parametrize("kind", ["RNN", "LSTM"])
@pytest.mark.parametrize("option", OPTIONS)
def test_it_has_about_as_many_parameters_as_the_decoder(kind, option):
    decoder = small_model(option)
    made = recurrent_like(kind, decoder, seed=0)
    # A state with one unit more or less would be further off.
    state, gates = made.head.in_features, made.layer.weight_hh_l0.shape[0]
    one_unit = gates // state * (2 * state + SMALL.n_embd + 3) + decoder.config.vocab_size
    assert abs(made.n_parameters - decoder.n_parameters) <= one_unit / 2


@pytest.mark.parametrize("kind", ["RNN", "LSTM"])
def test_a_token_knows_those_before_it_and_none_after(kind):
    made = recurrent_like(kind, small_model(), seed=1)
    vectors = torch.randn(1, 5, SMALL.n_embd, generator=torch.Generator().manual_seed(0))
    other = vectors.clone()
    other[0, 3] += 1
    before, after = made.logits(vectors), made.logits(other)
    assert torch.equal(before[0, :3], after[0, :3])
    assert not torch.allclose(before[0, 4], after[0, 4])


@pytest.mark.parametrize("kind", ["RNN", "LSTM"])
def test_it_learns_the_pairs_down_to_what_they_leave_open(kind):
    made = recurrent_like(kind, small_model(), seed=0)
    losses = train_recurrent(made, PAIRS, recipe=RECIPES["default"], seed=0)
    assert len(losses) == RECIPES["default"].epochs + 1
    floor = conditional_entropy(PAIRS)
    assert floor - 1e-6 < losses[-1] < floor + 0.1 < losses[0]
    assert losses[-1] == float(pairs_loss(made, PAIRS, slice(None)).item())


def test_the_loss_is_read_at_the_last_real_token():
    made = recurrent_like("RNN", small_model(), seed=0)
    (pair,) = np.flatnonzero((PAIRS.lengths == 2) & (PAIRS.targets == 6))[:1]
    logits = made.logits(made.embedding(torch.tensor([[1, 5]])))[0, -1]
    expected = -torch.log_softmax(logits, dim=-1)[6]
    assert pairs_loss(made, PAIRS, [pair]).item() == pytest.approx(expected.item(), rel=1e-6)


def test_the_seed_decides_and_torchs_own_numbers_stay_as_they_were():
    before = torch.get_rng_state()
    one, same, other = (recurrent_like("LSTM", small_model(), seed=seed) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(one.head.weight, same.head.weight)
    assert not torch.equal(one.head.weight, other.head.weight)
