"""A training watched through a server: it runs the model of the step that is asked for."""

import msgspec
import numpy as np
import pytest
from starlette.testclient import TestClient

import pellucid
from pellucid.errors import PellucidError
from pellucid.serve.app import make_app
from pellucid.serve.limits import Limits
from pellucid.serve.questions import RunQuestion
from pellucid.serve.runs import Runs
from pellucid.training.recipes import RECIPES
from pellucid.views.explorer import to_page
from tests.serve.conftest import ADDRESS, PROMPT

QUICK = msgspec.structs.replace(RECIPES["notebook"], epochs=6)


@pytest.fixture(scope="module")
def film():
    return pellucid.film(pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=1))


@pytest.fixture
def runs(film):
    return Runs(film.model(), Limits(), film=film)


def ask(step=None):
    return RunQuestion(page="a", text=PROMPT, film_step=step)


def test_every_step_runs_its_own_model(runs, film):
    for step in film.steps:
        expected = film.model(step).trace(PROMPT)
        trace = runs.make(ask(step)).trace
        for name in expected.names:
            np.testing.assert_array_equal(trace[name].values, expected[name].values)


def test_a_steps_weights_count_once(runs, film):
    plain = runs.make(ask()).size
    runs.make(ask(film.steps[1]))
    weights = sum(array.nbytes for array in film.model().parameters.values())
    assert runs.size == 2 * plain + weights
    runs.make(msgspec.structs.replace(ask(film.steps[1]), text="we are"))
    assert runs.size < 3 * plain + weights


def test_runs_of_two_steps_are_not_taken_for_each_other(runs):
    first, as_it_is = runs.make(ask(0)), runs.make(ask())
    assert first is not as_it_is
    assert runs.make(ask(0)) is first
    assert runs.make(ask()) is as_it_is


def test_a_few_models_are_held_and_no_more(film):
    runs = Runs(film.model(), Limits(filmed=2), film=film)
    for step in film.steps:
        runs.make(ask(step))
    assert len(film) > 2
    assert runs.filmed.cache_info().currsize == 2
    assert runs.filmed(film.steps[-1]) is runs.filmed(film.steps[-1])


def test_a_step_that_was_not_kept_is_refused(runs, groot):
    with pytest.raises(PellucidError, match="no epoch 99"):
        runs.make(ask(99))
    with pytest.raises(PellucidError, match="no film"):
        Runs(groot, Limits()).make(ask(0))


def test_over_http_numbers_and_explanations_are_of_the_step(runs, film):
    model = film.model()
    page = to_page(
        model.trace(PROMPT),
        title="groot",
        prompt=PROMPT,
        tokenizer=model.tokenizer,
        server="/",
        film=film,
    )
    assert page.data["film"]["steps"] == list(film.steps)
    assert page.data["film"]["bytes"] is None
    client = TestClient(make_app(page.html, runs), base_url=ADDRESS)
    run = client.post("/run", json={"page": "a", "text": PROMPT, "film_step": 2}).json()["run"]
    expected = film.model(2).trace(PROMPT)
    answer = client.post("/tensor", json={"run": run, "name": "probs"})
    np.testing.assert_array_equal(
        np.frombuffer(answer.content, "<f4"), expected["probs"].values.ravel()
    )
    asked = {"run": run, "name": "logits", "index": [3, 1]}
    explained = client.post("/explain", json=asked).json()
    assert explained["value"] == pytest.approx(float(expected["logits"].values[3, 1]))
