"""A training watched again on the page: its slider brings the numbers of each step's model."""

from itertools import pairwise

import msgspec
import pytest

import pellucid
from pellucid.training.recipes import RECIPES
from tests.browser.conftest import PROMPT, explored, serving
from tests.browser.shown import Shown
from tests.browser.test_shown import close

QUICK = msgspec.structs.replace(RECIPES["notebook"], epochs=6)
NAME = "blocks.0.attn.pattern"


@pytest.fixture(scope="module")
def film():
    return pellucid.film(pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=2))


@pytest.fixture
def filmed(tab, film, tmp_path):
    """The page of a model with the film of its training, not yet opened."""
    page = explored(film.model(), PROMPT, tmp_path / "film.html", title="groot", film=film)
    return Shown(tab, page.address)


def assert_shown(shown, film, step, name=NAME):
    """The matrix of a tensor has the numbers that Python's model of a step makes."""
    slider = shown.tab.get_by_role("slider", name=film.unit)
    assert slider.get_attribute("aria-valuetext") == f"{film.unit} {step}"
    values = film.model(step).trace(PROMPT)[name].values
    arrived(shown, name, values)
    cells = shown.grids(name)[name]
    assert cells
    assert cells == {index: close(float(values[index])) for index in cells}
    return cells


def arrived(shown, name, values):
    """Wait until the last row of a matrix begins with the number that was asked for."""
    index = (*(size - 1 for size in values.shape[:-1]), 0)
    shown.tab.wait_for_function(
        """([name, place, value]) => {
            const grid = document.querySelector(`main [role=grid][aria-label="${name}"]`);
            const cell = grid?.querySelector(`[data-index="${place}"]`);
            return cell && Math.abs(cell.dataset.value - value) < 1e-5; }""",
        arg=[name, ",".join(map(str, index)), float(values[index])],
    )


def press(shown, film, key, frame):
    """Move the slider by a key, and wait until the address says where it is."""
    shown.tab.get_by_role("slider", name=film.unit).press(key)
    shown.tab.wait_for_function("end => location.hash.includes(end)", arg=f"frame={frame}")


def test_keys_move_the_slider_and_every_number_is_of_its_step(filmed, film):
    assert len(film) == 4
    filmed.open(show=NAME, do="training")
    seen = [assert_shown(filmed, film, film.steps[-1])]
    for key, frame in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2)):
        press(filmed, film, key, frame)
        seen.append(assert_shown(filmed, film, film.steps[frame]))
    assert all(one != other for one, other in pairwise(seen))


def test_a_model_of_an_earlier_step_says_so(tab, film, tmp_path):
    """As when the best model of a training is not its last."""
    model = film.model(film.steps[1])
    page = explored(model, PROMPT, tmp_path / "early.html", title="groot", film=film)
    shown = Shown(tab, page.address)
    shown.open(show=NAME, do="training")
    assert_shown(shown, film, film.steps[1])
    assert tab.get_by_text(f"the training went on to {film.unit} {film.steps[-1]}").count() == 1


def test_a_model_of_no_step_says_so(tab, groot, film, tmp_path):
    page = explored(groot, PROMPT, tmp_path / "other.html", title="groot", film=film)
    Shown(tab, page.address).open(show=NAME, do="training")
    slider = tab.get_by_role("slider", name=film.unit)
    assert slider.get_attribute("aria-valuetext") == "the model as it is"


def test_the_address_keeps_the_step_and_a_button_leads_back(filmed, film):
    filmed.open(show="logits", do="training", frame="1")
    before = assert_shown(filmed, film, film.steps[1], "logits")
    filmed.tab.get_by_role("button", name="The model as it is").click()
    filmed.tab.wait_for_function("() => !location.hash.includes('frame=')")
    assert assert_shown(filmed, film, film.steps[-1], "logits") != before


def test_a_number_is_explained_by_the_weights_of_its_step(filmed, film):
    name = "blocks.0.attn.q"
    filmed.open(show=name, do="training", frame="1")
    cells = assert_shown(filmed, film, film.steps[1], name)
    index = max(cells, key=lambda index: abs(cells[index]))
    filmed.click(name, index)
    explained = film.model(film.steps[1]).trace(PROMPT).explainer.follow("value", name, index)
    panel = filmed.panel()
    assert panel.value == close(explained.value)
    assert panel.rows == [
        [close(term.value) for term in each.terms] for each in explained.contributions[:12]
    ]


def test_a_server_runs_the_model_of_the_step(online_tab, tmp_path):
    run = pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=2, out=tmp_path / "run")
    film = pellucid.film(run)
    with serving(tmp_path / "run", PROMPT) as address:
        shown = Shown(online_tab, address)
        shown.open(show=NAME, do="training")
        first = assert_shown(shown, film, film.steps[-1])
        press(shown, film, "Home", 0)
        assert assert_shown(shown, film, film.steps[0]) != first


def test_a_page_without_a_film_offers_none(shown):
    shown.open(do="training")
    assert shown.tab.get_by_role("slider", name="epoch").count() == 0
