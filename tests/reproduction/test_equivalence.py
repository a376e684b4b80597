"""What a causal mask buys: whole sentences teach what all their prefixes would, in one pass."""

import numpy as np
import pytest

from pellucid.decoder.presets import preset
from pellucid.model.model import Model
from pellucid.text.batches import training_pairs, whole_sentences
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer

TOKENIZER = Tokenizer.words(GROOT)
SEQUENCES = TOKENIZER.sequences(GROOT)
PAIRS = training_pairs(SEQUENCES, pad_id=0)
SENTENCES, NEXT = whole_sentences(SEQUENCES, pad_id=0)

PRECISION = {"float64": 1e-14, "float32": 1e-6}


@pytest.fixture(params=PRECISION)
def model(request):
    return Model.from_config(
        preset("baby-groot"), TOKENIZER, seed=3, dtype=request.param, scheme="torch"
    )


def test_19_rows_hold_the_76_predictions():
    assert (len(SENTENCES), len(PAIRS)) == (19, 76)
    assert np.count_nonzero(NEXT != -1) == 76


def test_the_loss_is_the_same(model):
    padded = model.loss(PAIRS.contexts, PAIRS.targets)
    whole = model.loss(SENTENCES, NEXT)
    assert whole == pytest.approx(padded, abs=PRECISION[model.dtype], rel=0)


def test_the_gradients_are_the_same(model):
    padded = model.gradients(PAIRS.contexts, PAIRS.targets)
    whole = model.gradients(SENTENCES, NEXT)
    assert list(whole) == list(padded)
    for name, gradient in padded.items():
        np.testing.assert_allclose(whole[name], gradient, rtol=0, atol=PRECISION[model.dtype])
