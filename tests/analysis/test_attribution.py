"""The estimate is right to first order, and sums to the whole of a small difference."""

import numpy as np
import pytest

from pellucid.analysis.attribution import attribution_patching, slopes_of_difference
from pellucid.analysis.patch import patch
from pellucid.analysis.places import KINDS
from pellucid.analysis.read_contrast import read_contrast
from pellucid.model.model import Model
from tests.analysis.contrasts import ANSWER, model_of, run_with, two_prompts, values_of
from tests.small_models import OPTIONS, small_config

SMOOTH = [name for name in OPTIONS if small_config(name).activation not in ("relu", "relu_squared")]
"""A kink near which a number stands lets no change be small."""
MOVED = ([3, 1, 4, 1, 5], [3, 1, 6, 1, 5])
"""Two texts that differ in one token."""


def nearly_alike(option, epsilon):
    """A model in which the tokens 4 and 6 differ by little."""
    model = model_of(option)
    table = np.array(model.parameters["token_embedding"])
    table[6] = table[4] + epsilon * np.random.default_rng(5).standard_normal(table.shape[1])
    return Model(model.config, {**model.parameters, "token_embedding": table})


@pytest.mark.parametrize("option", SMOOTH)
def test_the_estimate_is_wrong_by_the_square_of_a_small_change(option):
    for kind in ("stream", "heads"):
        wrong = []
        for epsilon in (1e-3, 1e-4):
            model = nearly_alike(option, epsilon)
            measured = patch(model, *MOVED, answer=ANSWER, places=kind)
            estimated = attribution_patching(model, *MOVED, answer=ANSWER, places=kind)
            assert estimated.corrupted == measured.corrupted
            assert np.abs(estimated.differences - estimated.corrupted).max() > epsilon / 1000
            wrong.append(np.abs(estimated.differences - measured.differences).max())
        assert wrong[1] < wrong[0] / 50 + 1e-12


@pytest.mark.parametrize("option", SMOOTH)
def test_the_estimates_along_the_stream_sum_to_the_whole_of_a_small_change(option):
    wrong = []
    for epsilon in (1e-3, 1e-4):
        model = nearly_alike(option, epsilon)
        found = attribution_patching(model, *MOVED, answer=ANSWER, places="stream")
        sums = (found.differences - found.corrupted).sum(axis=1)
        wrong.append(np.abs(sums - (found.clean - found.corrupted)).max())
        together = attribution_patching(model, *MOVED, answer=ANSWER, together=True)
        in_one = together.differences[:, 0] - together.corrupted
        np.testing.assert_allclose(in_one, sums, rtol=0, atol=1e-12)
    assert wrong[1] < wrong[0] / 50 + 1e-12


@pytest.mark.parametrize("option", SMOOTH)
def test_slopes_are_how_the_difference_follows_a_small_step(option):
    model = model_of(option)
    clean, corrupted = two_prompts(option)
    contrast = read_contrast(model, clean, corrupted, ANSWER)
    names = ["embed.tokens", "blocks.0.attn.z", "blocks.0.attn.pattern", "blocks.0.resid_mid"]
    slopes = slopes_of_difference(model.engine, contrast, names)
    rng = np.random.default_rng(0)
    for name in names:
        step = 1e-5 * rng.standard_normal(values_of(model, corrupted, name).shape)
        up, down = (run_with(model, corrupted, moved(name, by)) for by in (step, -step))
        found = (slopes[name] * step).sum()
        assert found == pytest.approx((up - down) / 2, rel=1e-5, abs=1e-12)


def moved(name, by):
    """An intervention that adds to one tensor."""
    return lambda made, x: x + by if made == name else x


def test_equal_infinities_move_nothing():
    clean, corrupted = two_prompts()
    found = attribution_patching(
        model_of(), clean, corrupted, answer=ANSWER, places="attn.masked_scores"
    )
    scores = attribution_patching(model_of(), clean, corrupted, answer=ANSWER, places="attn.scores")
    np.testing.assert_allclose(found.values, scores.values, rtol=0, atol=1e-12)


def test_only_the_positions_that_are_chosen_are_counted():
    clean, corrupted = two_prompts()
    each = [
        attribution_patching(
            model_of(), clean, corrupted, answer=ANSWER, places="heads", positions=[position]
        )
        for position in range(6)
    ]
    whole = attribution_patching(model_of(), clean, corrupted, answer=ANSWER, places="heads")
    np.testing.assert_allclose(sum(one.values for one in each), whole.values, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("one_torch_thread")
@pytest.mark.parametrize("kind", [*KINDS, "attn.masked_scores"])
def test_torch_finds_the_same(kind):
    clean, corrupted = two_prompts("like llama 3")
    model = model_of("like llama 3")
    by_numpy = attribution_patching(model, clean, corrupted, answer=ANSWER, places=kind)
    by_torch = attribution_patching(
        model.using("torch"), clean, corrupted, answer=ANSWER, places=kind
    )
    np.testing.assert_allclose(by_torch.differences, by_numpy.differences, rtol=0, atol=1e-10)
