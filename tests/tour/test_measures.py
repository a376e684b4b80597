"""Two measures of one loss."""

import numpy as np
import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from pellucid.tour.measures import Batches, measures
from pellucid.views.scene import Scene, Table
from pellucid.views.terminal import to_text
from tests.tour.scenes import of_kind, table, words


@given_any(
    pairs=st.integers(2, 200),
    size=st.integers(1, 40),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_short_batchs_own_mean_follows_from_the_two_measures(pairs, size, seed):
    batches = Batches(pairs, size)
    losses = np.random.default_rng(seed).uniform(0, 3, pairs)
    parts = [losses[start : start + size] for start in range(0, pairs, size)]
    assert (len(parts), len(parts[-1])) == (batches.number, batches.last)
    if batches.even:
        assert len({len(part) for part in parts}) == 1
        return
    means = [part.mean() for part in parts]
    both = {"over_pairs": losses.mean(), "of_means": np.mean(means)}
    assert batches.mean_of_last(**both) == pytest.approx(means[-1], abs=1e-9)
    assert batches.mean_of_full(**both) == pytest.approx(np.mean(means[:-1]), abs=1e-9)


def test_the_epochs_below_the_floor_are_counted_by_each_measure(lesson):
    run = lesson.trials.notebook
    below = sum(epoch.mean_of_batches < run.floor for epoch in run.history)
    assert below > 0
    assert not any(epoch.loss < run.floor for epoch in run.history)
    said = words(measures(lesson))
    assert (
        f"by the mean of means {below} epochs of 500 lie below it; by the mean over pairs none"
        in said
    )


def test_the_most_flattered_epoch_explains_itself(lesson):
    run = lesson.trials.notebook
    epoch = max(run.history[250:], key=lambda epoch: epoch.loss - epoch.mean_of_batches)
    name, number, *losses = table(measures(lesson), "run").rows[0]
    assert (name, number) == ("here", epoch.number)
    hard, easy, pairs, means = map(float, losses)
    assert (pairs, means) == (round(epoch.loss, 4), round(epoch.mean_of_batches, 4))
    assert easy < hard
    assert "whose short batch was easy" in words(measures(lesson))
    assert (64 * hard + 12 * easy) / 76 == pytest.approx(pairs, abs=1e-4)
    assert (4 * hard + easy) / 5 == pytest.approx(means, abs=1e-4)


def test_the_batches_are_told(lesson):
    said = words(measures(lesson))
    assert "cuts 76 pairs into 4 full batches of 16 and a last one of 12" in said
    # 16 / 12.
    assert "weigh 1.33 times as much" in said


def test_the_notebooks_own_numbers_are_quoted_for_its_own_corpus(any_lesson):
    said, own = words(measures(any_lesson)), len(any_lesson.corpus.sentences) == 19
    assert ("0.7264 lies below the floor, 0.7361" in said) == own
    assert ("mean over the pairs was 0.7472. Of its 500 epochs 34 lie below" in said) == own
    rows = [row for t in of_kind(measures(any_lesson), Table) for row in t.rows]
    # (4 · 0.8252 + 0.3312) / 5 is 0.7264, (64 · 0.8252 + 12 · 0.3312) / 76 is 0.7472.
    assert (("BabyGrootGPT", 450, "0.83", "0.33", "0.7472", "0.7264") in rows) == own


def test_the_digression_is_short(lesson):
    lines = to_text(Scene("Measures", measures(lesson)), width=80).splitlines()
    assert len(lines) < 25


def test_equal_batches_leave_nothing_to_choose(any_lesson):
    batches = Batches(len(any_lesson.corpus.pairs), 16)
    assert batches.even == ("Here the two are the same" in words(measures(any_lesson)))


def test_a_given_model_was_trained_by_nobody_here(given):
    assert measures(given) == ()
