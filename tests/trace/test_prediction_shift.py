"""How far a prediction moved: a divergence over the whole vocabulary, and the tokens that moved."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.trace.prediction_shift import AT_ONCE, divergences, prediction_shift
from tests.small_models import WORDS, small_model

MODEL = small_model(tokenizer=WORDS)
OTHER = small_model(seed=1, tokenizer=WORDS)
PROMPT = "ash bud elm oak"
A, B = MODEL.trace(PROMPT), OTHER.trace(PROMPT)


def shifted(a, b, **at):
    """How the prediction moved, of runs that have one."""
    found = prediction_shift(a, b, **at)
    assert found is not None
    return found


def apart(a, b, ours, theirs):
    """The divergences, of runs that have them."""
    found = divergences(a, b, ours, theirs)
    assert found is not None
    return found


def with_logits(logits):
    return replace(A, values={**A.values, "logits": np.asarray(logits, np.float64)})


def rows(*logits):
    """A trace whose last position has these logits, and as many tokens after them as it takes."""
    whole = np.full((5, 11), -np.inf)
    whole[:, : len(logits)] = logits
    return with_logits(whole)


def test_probabilities_are_those_of_the_traces():
    found = shifted(A, B)
    for each in (*found.before, *found.after, *found.movers):
        assert each.token == A.vocabulary[each.id]
        assert each.before == pytest.approx(A["probs"].values[-1, each.id])
        assert each.after == pytest.approx(B["probs"].values[-1, each.id])
        assert each.change == each.after - each.before
    assert found.vocabulary == 11
    assert found.text == found.text_in_b == A.tokens


def test_the_divergence_is_the_sum_over_the_whole_vocabulary():
    p, q = A["probs"].values, B["probs"].values
    expected = (p * np.log(p / q)).sum(axis=-1)
    assert apart(A, B, range(5), range(5)) == pytest.approx(expected)
    assert shifted(A, B, position=2).kl == pytest.approx(expected[2])
    crosswise = (p[1] * np.log(p[1] / q[3])).sum()
    assert shifted(A, B, position=1, position_in_b=3).kl == pytest.approx(crosswise)
    assert shifted(A, B, position=1, position_in_b=3).text_in_b == A.tokens[:4]


def test_the_largest_moves_come_first_and_the_likeliest_are_in_order():
    found = shifted(A, B)
    p, q = A["probs"].values[-1], B["probs"].values[-1]
    assert [each.id for each in found.movers] == np.argsort(-np.abs(q - p))[:8].tolist()
    assert [each.id for each in found.before] == np.argsort(-p)[:5].tolist()
    assert [each.id for each in found.after] == np.argsort(-q)[:5].tolist()


def test_equal_predictions_have_no_divergence_and_nothing_moved():
    found = shifted(A, A)
    assert (found.kl, found.movers) == (0.0, ())


def test_what_is_ruled_out_before_adds_nothing_and_after_makes_it_infinite():
    one, other = rows(0.0, 0.0), rows(0.0, -np.inf)
    assert shifted(other, one).kl == pytest.approx(np.log(2))
    assert shifted(one, other).kl == np.inf
    assert [each.id for each in shifted(other, one).before] == [0]


def test_logits_of_any_size_have_probabilities():
    found = shifted(rows(1e5, 1e5 - 1), rows(-1e5, -1e5 - 1))
    assert found.kl == 0.0
    assert found.before[0].before == pytest.approx(1 / (1 + np.exp(-1)))


def test_a_divergence_is_never_below_zero():
    rng = np.random.default_rng(0)
    for _ in range(50):
        logits = rng.normal(size=(5, 11))
        nearly = with_logits(logits * (1 + 1e-16 * rng.normal(size=(5, 11))))
        assert min(apart(with_logits(logits), nearly, range(5), range(5))) >= 0


def test_a_long_text_is_taken_in_parts():
    positions = [i % 5 for i in range(2 * AT_ONCE + 3)]
    whole = apart(A, B, range(5), range(5))
    assert apart(A, B, positions, positions) == tuple(whole[i] for i in positions)


def test_probabilities_alone_will_do_and_nothing_will_not():
    probs = [model.trace(PROMPT, names=["probs"]) for model in (MODEL, OTHER)]
    assert shifted(*probs).kl == pytest.approx(shifted(A, B).kl)
    assert prediction_shift(A, OTHER.trace(PROMPT, names=["embed.out"])) is None
    assert divergences(MODEL.trace(PROMPT, names=["embed.out"]), A, [0], [0]) is None


def test_ids_stand_for_tokens_that_have_no_names():
    a, b = (small_model(seed=seed).trace(ids=[3, 4]) for seed in (0, 1))
    assert all(each.token == str(each.id) for each in shifted(a, b).movers)


def test_vocabularies_of_two_sizes_are_not_held_together():
    wider = with_logits(np.zeros((5, 12)))
    assert prediction_shift(A, wider) is None
    assert divergences(A, wider, [0], [0]) is None
