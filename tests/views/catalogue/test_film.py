"""Views of a film: the numbers of the models, in the order in which they were trained."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.analysis.plane import Plane
from pellucid.errors import PellucidError
from pellucid.training.film import Film
from pellucid.training.frames import Frames
from pellucid.training.losses import Losses
from pellucid.views.catalogue.film import (
    embeddings,
    evenly,
    leaders,
    loss_so_far,
    pattern_at,
    probabilities_at,
)
from tests.small_models import small_model
from tests.training.texts import DOCUMENT, SMALL
from tests.views.catalogue.given import film as watched
from tests.views.catalogue.given import view

NO_TEXT = Losses(())


@cache
def two_steps(option="as it is", losses=NO_TEXT):
    """A film of two models of that kind, without a tokenizer."""
    models = [small_model(option, seed=seed) for seed in (0, 1)]
    arrays = {
        name: np.stack([model.parameters[name] for model in models])
        for name in models[0].parameters
    }
    film = Film(models[0].config, None, Frames((0, 7), "step", arrays), losses)
    return film.trace(ids=[3, 1, 3])


def test_points_are_the_rows_seen_in_the_plane_of_the_last_step():
    (block,) = view("film_embeddings", watched())
    film = watched().film
    rows = [film.model(step).parameters["token_embedding"] for step in film.steps]
    plane = Plane.of(rows[-1])
    for place, each in enumerate(rows):
        np.testing.assert_allclose(block.ways[:, place], plane.seen(each), rtol=0, atol=1e-12)
    assert block.names == film.model().vocabulary


def test_ways_so_far_lie_on_the_same_paper():
    whole = embeddings(watched())
    for last in (0, 3):
        part = embeddings(watched(), last)
        np.testing.assert_array_equal(part.ways, whole.ways[:, : last + 1])
        assert part.sides == whole.sides


def test_of_a_large_vocabulary_the_tokens_of_the_prompt_are_shown():
    film = two_steps().film
    large = replace(film, config=film.config.replace(vocab_size=100))
    rng = np.random.default_rng(0)
    arrays = {
        name: rng.normal(
            size=(2, *(100 if n == film.config.vocab_size else n for n in a.shape[1:]))
        )
        for name, a in film.frames.arrays.items()
    }
    large = replace(large, frames=Frames((0, 7), "step", arrays))
    (block,) = view("film_embeddings", large.trace(ids=[9, 4, 9]))
    assert block.names == ("4", "9")
    assert "Shown: the prompt's 2 of 100 tokens." in str(block.note)


def test_patterns_are_those_of_steps_from_the_first_to_the_last():
    (block,) = view("film_pattern", watched())
    steps = watched().steps
    assert block.columns.dim == "epoch"
    assert block.column_names[0] == "0"
    assert block.column_names[-1] == str(steps[-1])
    (shown,) = block.values
    for name, pattern in zip(block.column_names, shown, strict=True):
        model = watched().film.model(int(name))
        own = model.trace("groot likes")["blocks.0.attn.pattern"].values[0]
        np.testing.assert_array_equal(pattern, own)


def test_the_head_that_was_asked_for():
    two = two_steps("grouped heads")
    for block, head in ((0, 1), (-1, -1)):
        (panels,) = view("film_pattern", two, block=block, head=head)
        whole = two[f"blocks.{block % two.film.config.n_layer}.attn.pattern"].values
        np.testing.assert_array_equal(panels.values[0], whole[:, head])
        np.testing.assert_array_equal(pattern_at(two, 1, block, head).values, panels.values[0][1])
    with pytest.raises(PellucidError, match="head=9 is out of range"):
        view("film_pattern", two, head=9)


def test_probabilities_are_those_of_each_model():
    curve, _ = view("film_probabilities", watched(), top=3)
    vocabulary = watched().vocabulary
    film = watched().film
    assert len(curve.series) == 3
    for place, step in enumerate(film.steps):
        shares = film.model(step).trace("groot likes")["probs"].values[-1]
        for series in curve.series:
            assert series.y[place] == shares[vocabulary.index(series.name)]
            assert series.x[place] == step


def test_a_position_by_its_token():
    curve, _ = view("film_probabilities", watched(), position="groot")
    assert "groot”" in curve.title
    assert "likes" not in curve.title


def test_those_are_shown_that_once_led():
    shares = np.array([[0.6, 0.3, 0.1, 0.0], [0.1, 0.2, 0.65, 0.05], [0.1, 0.8, 0.05, 0.05]])
    assert leaders(shares, 1) == [1]
    assert leaders(shares, 2) == [1, 2]
    assert leaders(shares, 3) == [1, 0, 2]


def test_bars_are_of_the_same_tokens_at_every_step():
    first, last = (probabilities_at(watched(), at) for at in (0, -1))
    assert [name for name, _ in first.items] == [name for name, _ in last.items]
    numbers = [number for _, number in last.items]
    assert numbers == sorted(numbers, reverse=True)


def test_the_loss_is_that_of_the_whole_training():
    film = watched().film
    curve = loss_so_far(film)
    assert curve.series[0].y.mean() == pytest.approx(
        np.mean([loss for _, loss in film.losses.training])
    )
    assert [(level.name, level.y) for level in curve.levels] == [("floor", film.losses.floor)]
    assert curve.x_label == "epoch"


def points_of(series):
    return list(zip(series.x, series.y, strict=True))


def test_a_step_is_a_point_on_the_curve():
    film = watched().film
    for step in (0, 100, 200):
        curve = loss_so_far(film, step)
        point: Any = curve.series[-1]
        assert point.name == f"epoch {step}:"
        assert (point.x[0], point.y[0]) in points_of(curve.series[0])
        assert point.x[0] == max(step, 1)
        assert point.y[0] == film.losses.at(step)


def test_the_losses_of_many_batches_are_smoothed():
    rng = np.random.default_rng(0)
    losses = Losses(tuple((step, float(rng.random())) for step in range(1, 501)))
    curve = loss_so_far(two_steps(losses=losses).film)
    assert len(curve.series[0].y) == 100
    assert curve.series[0].y[0] == pytest.approx(np.mean([y for _, y in losses.training[:5]]))
    assert curve.note == "Training: the mean of 5 steps to a point."


def test_validation_is_shown_where_there_is_one():
    losses = Losses(((1, 3.0), (2, 2.0)), ((0, 3.5), (2, 2.5)))
    curve = loss_so_far(two_steps(losses=losses).film)
    assert [series.name for series in curve.series] == ["training", "validation"]
    np.testing.assert_array_equal(curve.series[1].y, [3.5, 2.5])


def test_without_losses_the_rest_is_there():
    curve = loss_so_far(two_steps().film, 7)
    assert curve.series == ()


def test_every_kth_of_many_has_both_ends():
    assert evenly(3, 6) == [0, 1, 2]
    assert evenly(101, 6) == [0, 20, 40, 60, 80, 100]
    for size in range(2, 40):
        spread = evenly(size, 5)
        assert spread[0] == 0
        assert spread[-1] == size - 1
        assert len(set(spread)) == min(size, 5)


def test_a_run_on_text_has_all_views():
    seen = pellucid.film(pellucid.train(DOCUMENT, film=5, **SMALL)).trace("the fox")
    for name in ("film_embeddings", "film_pattern", "film_probabilities"):
        assert view(name, seen)
