"""Reading texts of any length: what is timed, and what is followed back."""

import numpy as np
import pytest
import torch

from pellucid.interop.reading import random_text, read_at_once, seconds, slope
from pellucid.interop.recurrent import recurrent_like
from pellucid.model.model import Model
from tests.small_models import SMALL, small_model

SIZES = {"width": SMALL.n_embd, "vocab_size": SMALL.vocab_size}


def test_a_decoder_reads_given_vectors_as_it_reads_embedded_tokens():
    fresh = Model.from_config(SMALL.replace(block_size=9), seed=2, scheme="torch")
    ids = np.arange(1, 10)[None] % SMALL.vocab_size
    embedded = fresh.engine.forward({"ids": ids}, keep=("embed.out",))["embed.out"]
    read = read_at_once(SMALL, length=9, seed=2)
    logits = read(torch.tensor(embedded)).detach().numpy()
    np.testing.assert_allclose(logits, fresh.logits(ids), rtol=0, atol=1e-5)


def test_the_slope_is_that_of_finite_differences():
    text = random_text(length=3, **SIZES, seed=0)
    read = recurrent_like("RNN", small_model(), seed=0).logits
    step, found = 1e-2, []
    for place in range(SMALL.n_embd):
        losses = []
        for sign in (1, -1):
            moved = text.vectors.clone()
            moved[0, 0, place] += sign * step
            logits = read(moved)[0, -1].double()
            losses.append(-torch.log_softmax(logits, dim=-1)[text.targets[-1]].item())
        found.append((losses[0] - losses[1]) / (2 * step))
    assert slope(read, text) == pytest.approx(float(np.linalg.norm(found)), rel=1e-3)


def test_a_text_of_one_token_has_the_slope_of_its_own_loss():
    # The head alone: the gradient of −log softmax is a mixture of its columns.
    text = random_text(length=1, width=4, vocab_size=3, seed=0)
    weights = torch.randn(4, 3, generator=torch.Generator().manual_seed(1))
    shares = torch.softmax(text.vectors[0, 0] @ weights, dim=-1)
    shares[text.targets[0]] -= 1
    expected = float((weights @ shares).norm())
    assert slope(lambda vectors: vectors @ weights, text) == pytest.approx(expected, rel=1e-5)


def test_texts_follow_from_the_seed():
    one, same, other = (random_text(length=4, **SIZES, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(one.vectors, same.vectors)
    assert torch.equal(one.targets, same.targets)
    assert not torch.equal(one.vectors, other.vectors)


def test_reading_is_timed_by_the_clock():
    text = random_text(length=4, **SIZES, seed=0)
    assert 0 < seconds(recurrent_like("RNN", small_model(), seed=0).logits, text) < 10
