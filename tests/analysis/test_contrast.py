"""The difference of two answers' logits, and what the positions of two prompts are called."""

import numpy as np

from pellucid.analysis.read_contrast import read_contrast
from tests.analysis.contrasts import model_of


def test_the_difference_is_the_first_answers_logit_less_the_seconds():
    contrast = read_contrast(model_of(), "oak ash", "elm ash", ("fir", "bud"))
    logits = np.random.default_rng(0).standard_normal((3, 11)).astype("float32")
    found = contrast.difference(logits)
    assert found.dtype == np.float64
    expected = logits[:, contrast.answer].astype(float) - logits[:, contrast.instead]
    np.testing.assert_array_equal(found, expected)


def test_positions_are_called_by_both_tokens_where_these_differ():
    contrast = read_contrast(model_of(), "oak ash", "elm ash", ("fir", "bud"))
    assert contrast.both_tokens == ("<START>", "oak/elm", "ash")
    assert contrast.ids.tolist() == [list(contrast.clean), list(contrast.corrupted)]
