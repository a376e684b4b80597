"""What a matrix looks like says what its numbers are; and nothing moves for who wants it still."""

import numpy as np
import pytest

from pellucid.ops.figures import figure
from tests.browser.conftest import opened_tab
from tests.browser.shown import Shown
from tests.browser.test_whole import INK

MOVING = """() => [...document.querySelectorAll('*')].filter(each => {
    const style = getComputedStyle(each);
    const long = [...style.transitionDuration.split(','), ...style.animationDuration.split(',')]
        .some(time => parseFloat(time) > MOST);
    return long || style.scrollBehavior === 'smooth'; }).map(each => each.tagName)"""
COLOUR = """cell => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.fillStyle = getComputedStyle(cell.closest('[role=gridcell]')).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3); }"""


def legend(shown, name):
    """All that stands around a matrix, the matrix itself left out."""
    figure = shown.tab.locator(f'main figure[data-tensor="{name}"]')
    grid = shown.grid(name).inner_text()
    return figure.inner_text().replace(grid, "")


@pytest.mark.parametrize(
    "name", ["blocks.0.attn.scores", "logits", "blocks.0.mlp.pre", "blocks.0.mlp.w_in"]
)
def test_a_legend_says_how_large_the_deepest_colours_are(shown, groot_page, name):
    part = name.replace("w_in", "pre")
    shown.open(show=part)
    assert shown.grids(part)[name]
    limit = float(np.abs(groot_page.trace.explainer.tensor(name).values).max())
    said = legend(shown, name)
    assert figure(-limit, 3) in said
    assert figure(limit, 3) in said
    assert ("weights" in said) == (name == "blocks.0.mlp.w_in")


def test_of_probabilities_it_goes_from_nothing_to_one(shown):
    shown.open(show="blocks.0.attn.pattern")
    shown.grids("blocks.0.attn.pattern")
    words = legend(shown, "blocks.0.attn.pattern").split()
    at = words.index("probabilities")
    assert words[at : at + 3] == ["probabilities", "0", "1"]


def test_of_gradients_it_says_so(shown, groot_page):
    name = "blocks.0.mlp.pre"
    shown.open(show=name, target="7", layer="gradient")
    shown.grids(name)
    values = groot_page.model.trace(groot_page.text, target=7).grad[name].values
    said = legend(shown, name)
    assert "gradients" in said
    assert figure(float(np.abs(values).max()), 3) in said


def test_what_is_infinite_or_no_number_is_in_the_legend_where_there_is_any(tab, shown, pages):
    shown.open(show="blocks.0.attn.masked_scores")
    shown.grids("blocks.0.attn.masked_scores")
    assert "infinite" in legend(shown, "blocks.0.attn.masked_scores")
    assert "infinite" not in legend(shown, "blocks.0.attn.scores")
    broken = Shown(tab, pages("not a number").address)
    broken.open(show="logits")
    broken.grids("logits")
    assert "not a number" in legend(broken, "logits")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_cells_colour_is_that_of_its_sign_as_strong_as_it_is_large(shown, groot_page, theme):
    name = "blocks.0.attn.scores"
    shown.tab.emulate_media(color_scheme=theme)
    shown.open(show=name)
    cells = shown.grids(name)[name]
    inks = ("--paper", "--positive", "--negative")
    paper, positive, negative = (np.array(shown.tab.evaluate(INK, ink)) for ink in inks)
    largest = max(cells, key=lambda index: abs(cells[index]))
    full = positive if cells[largest] > 0 else negative
    assert np.abs(np.array(shown.cell(name, largest).evaluate(COLOUR)) - full).max() <= 2
    for sign, ink in ((1, positive), (-1, negative)):
        ordered = sorted(
            (each for each in cells if sign * cells[each] > 0), key=lambda at: abs(cells[at])
        )
        away = [
            np.abs(np.array(shown.cell(name, index).evaluate(COLOUR)) - paper).sum()
            for index in ordered
        ]
        assert away == sorted(away)
        assert ordered
        colour = np.array(shown.cell(name, ordered[-1]).evaluate(COLOUR)) - paper
        towards = ink - paper
        assert colour @ towards > 0.9 * np.linalg.norm(colour) * np.linalg.norm(towards)


@pytest.mark.parametrize(("motion", "most"), [("reduce", 0), ("no-preference", 0.15)])
def test_nothing_moves_longer_than_is_wanted(browser, groot_page, motion, most):
    for tab in opened_tab(browser, offline=True):
        tab.emulate_media(reduced_motion=motion)
        shown = Shown(tab, groot_page.address)
        for state in ({}, {"show": "logits", "do": "sampling", "cell": "logits@3,2"}):
            shown.open(**state)
            assert tab.evaluate(MOVING.replace("MOST", str(most))) == []
