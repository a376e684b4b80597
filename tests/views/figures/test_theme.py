"""Themes: their colours can be told apart and read, also by those who see fewer of them."""

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from pellucid.errors import PellucidError
from pellucid.views.figures.colours import contrast, luminance
from pellucid.views.figures.theme import DARK, LIGHT, theme

# Linear RGB as those see it who lack one kind of cone (Machado, Oliveira & Fernandes, 2009).
SEEN = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
both = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)


def linear(colour):
    coded = np.array(to_rgb(colour))
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)


@both
def test_words_can_be_read_on_paper(look):
    assert contrast(look.ink, look.paper) >= 7
    for colour in (look.quiet, look.positive, look.negative, look.probability, *look.series):
        assert contrast(colour, look.paper) >= 4.5


@both
def test_zero_is_paper_and_both_ends_are_as_far_from_it(look):
    assert to_hex(look.diverging(0.5)) == look.paper
    assert to_hex(look.sequential(0.0)) == look.paper
    ends = [luminance(to_hex(look.diverging(end))) for end in (0.0, 1.0)]
    assert contrast(look.positive, look.paper) == pytest.approx(
        contrast(look.negative, look.paper), rel=0.35
    )
    assert [to_hex(look.diverging(end)) for end in (0.0, 1.0)] == [look.negative, look.positive]
    assert max(ends) - min(ends) < 0.15


@both
def test_a_scale_goes_one_way_from_zero_on(look):
    away = 1 if look is DARK else -1
    for scale in (look.sequential(np.linspace(0, 1, 33)), look.diverging(np.linspace(0.5, 1, 33))):
        light = [luminance(to_hex(colour)) for colour in scale]
        assert np.all(np.diff(light) * away > -1e-3)


@both
@pytest.mark.parametrize("kind", SEEN)
def test_positive_and_negative_differ_for_every_kind_of_colour_blindness(look, kind):
    matrix = np.array(SEEN[kind])
    for share in (0.5, 1.0):  # At half strength, too.
        below, above = look.diverging(0.5 - share / 2), look.diverging(0.5 + share / 2)
        seen = [np.clip(matrix @ linear(to_hex(colour)), 0, 1) for colour in (below, above)]
        assert np.linalg.norm(np.cbrt(seen[0]) - np.cbrt(seen[1])) > 0.2


def test_a_theme_is_found_by_name():
    assert theme("dark") is DARK
    assert theme(LIGHT) is LIGHT
    with pytest.raises(PellucidError, match=r"no theme 'drak'\. Did you mean dark"):
        theme("drak")
    with pytest.raises(PellucidError, match="Choose light or dark"):
        theme("x")
