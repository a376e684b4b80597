"""Scales: zero in the middle, one end for both signs, and a bar that says so."""

import numpy as np
import pytest

from pellucid.views.figures.scales import Scale, draw_scale
from pellucid.views.figures.theme import LIGHT
from tests.views.figures.sheets import sheet, styled


def bar(values, kind="signed", limit=None, height=150.0):
    with styled():
        axes = sheet(200.0, height)
        draw_scale(Scale.of(kind, np.array(values), LIGHT, limit), axes, LIGHT)
    return axes.child_axes


def ticks(axes):
    return dict(
        zip(axes.get_yticks(), (text.get_text() for text in axes.get_yticklabels()), strict=True)
    )


def test_a_signed_scale_reaches_as_far_below_zero_as_above():
    scale = Scale.of("signed", np.array([-0.5, 2.0, np.nan, np.inf]), LIGHT)
    assert (scale.norm.vmin, scale.norm.vmax) == (-2.0, 2.0)
    assert scale.colour(0.0) == LIGHT.paper
    assert scale.colour(2.0) == LIGHT.positive
    assert scale.colour(-2.0) == LIGHT.negative


def test_probabilities_go_from_nothing_to_certainty():
    scale = Scale.of("probability", np.array([0.1, 0.2]), LIGHT)
    assert (scale.low, scale.high) == (0.0, 1.0)
    assert scale.colour(1.0) == LIGHT.probability


def test_a_limit_is_the_end_of_the_scale():
    assert Scale.of("weight", np.array([1.0]), LIGHT, 4.0).high == 4.0


@pytest.mark.parametrize("kind", ["ids", "plain"])
def test_bare_numbers_have_no_colours_and_no_bar(kind):
    assert not Scale.of(kind, np.array([3.0]), LIGHT).coloured
    assert bar([3.0], kind) == []


def test_the_bar_names_both_ends_and_zero():
    (drawn,) = bar([-1.5, 0.5])
    assert ticks(drawn) == {-1.5: "-1.5", 0.0: "0", 1.5: "1.5"}
    assert drawn.get_ylim() == (-1.5, 1.5)


def test_without_negative_numbers_the_bar_begins_at_zero():
    (drawn,) = bar([0.25, 2.0])
    assert ticks(drawn) == {0.0: "0", 2.0: "2"}
    assert drawn.get_ylim() == (0.0, 2.0)


def test_a_low_bar_names_its_ends_alone():
    (drawn,) = bar([-1.5, 0.5], height=12.0)
    assert list(ticks(drawn)) == [-1.5, 1.5]


def test_zeros_alone_have_a_scale_too():
    scale = Scale.of("signed", np.zeros(3), LIGHT)
    assert scale.colour(0.0) == LIGHT.paper
