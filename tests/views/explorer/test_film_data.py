"""A film in a page is the film: its steps, its parameters, its losses."""

import base64

import msgspec
import numpy as np
import pytest

import pellucid
from pellucid.training.recipes import RECIPES
from pellucid.views.explorer import film_data as module
from pellucid.views.explorer.film_data import film_data

QUICK = msgspec.structs.replace(RECIPES["notebook"], epochs=6)


@pytest.fixture(scope="module")
def film():
    return pellucid.film(pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=2))


def parameter(data, name, place):
    """The numbers of a parameter at a place, as the page reads them."""
    numbers = np.frombuffer(base64.b64decode(data["bytes"]), "<f4")
    slot = data["slots"][name]
    size = int(np.prod(slot["shape"]))
    return numbers[slot["offset"] :][:size].reshape(slot["shape"])[place]


def test_every_step_has_its_parameters_and_every_epoch_its_loss(film):
    data = film_data(film, film.model().parameters)
    assert data["steps"] == list(film.steps)
    assert data["kept"] == len(film)
    for place, step in enumerate(film.steps):
        for name, values in film.model(step).parameters.items():
            np.testing.assert_array_equal(parameter(data, name, place), values.astype("f4"))
    assert list(zip(data["losses"]["x"], data["losses"]["y"], strict=True)) == list(
        film.losses.training
    )
    assert data["floor"] == film.losses.floor


def test_of_a_long_film_the_first_and_the_last_step_stay(film, monkeypatch):
    monkeypatch.setattr(module, "MOST_FILMED", 1)
    data = film_data(film, film.model().parameters)
    assert data["steps"] == [film.steps[0], film.steps[-1]]
    assert data["kept"] == len(film) > 2
    last = film.model().parameters["token_embedding"]
    np.testing.assert_array_equal(parameter(data, "token_embedding", 1), last.astype("f4"))


def test_the_step_is_named_that_the_model_itself_is_of(film):
    """A training may keep an earlier step's model; and a model may be of none."""
    for step in film.steps:
        assert film_data(film, film.model(step).parameters)["own"] == step
    other = {name: 2 * array for name, array in film.model().parameters.items()}
    assert film_data(film, other)["own"] is None


def test_a_film_in_half_precision_knows_the_step_too():
    run = pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=2, film_half=True)
    film = pellucid.film(run)
    assert film.dtype == "float16"
    assert film_data(film, run.model.parameters)["own"] == film.steps[-1]
