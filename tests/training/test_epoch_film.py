"""Epochs kept on their way: the parameters as they stood, and whoever else hears of them."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.training.epoch_film import EpochFilm
from pellucid.training.film_plan import FilmPlan
from pellucid.training.history import Epoch


def epoch(number):
    return Epoch(number=number, loss=1.0, mean_of_batches=1.0, learning_rate=0.1)


def test_it_keeps_what_the_plan_says_and_tells_on():
    parameters = {"a": np.zeros((2, 2), np.float32)}
    film = EpochFilm(FilmPlan(every=2), parameters, 5)
    heard = []
    hear = film.after_each(lambda each: heard.append(each.number))
    for number in range(1, 6):
        parameters["a"] += 1
        hear(epoch(number))
    frames = film.frames()
    assert frames.unit == "epoch"
    assert frames.steps == (0, 2, 4, 5)
    assert frames.arrays["a"][:, 0, 0].tolist() == [0, 2, 4, 5]
    assert heard == [1, 2, 3, 4, 5]


def test_without_the_beginning_it_begins_where_the_plan_does():
    parameters = {"a": np.zeros(3)}
    film = EpochFilm(FilmPlan(steps=(1, 3), half=True), parameters, 3)
    hear = film.after_each(None)
    for number in range(1, 4):
        hear(epoch(number))
    assert film.frames().steps == (1, 3)
    assert film.frames().arrays["a"].dtype == np.float16


def test_an_epoch_after_the_last_is_refused():
    with pytest.raises(PellucidError, match="to keep epoch 9, and the last is 3"):
        EpochFilm(FilmPlan(steps=(9,)), {"a": np.zeros(3)}, 3)
