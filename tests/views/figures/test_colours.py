"""Colours: what can be read on what, and scales that look even."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.figures.colours import contrast, ink_on, luminance, mixed

COLOURS = st.integers(0, 0xFFFFFF).map(lambda code: f"#{code:06x}")


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#0000ff", "#ffff00") == pytest.approx(8.00, abs=0.005)


@given(COLOURS)
def test_ink_can_be_read_on_every_colour(colour):
    assert contrast(ink_on(colour), colour) >= 4.5


@given(COLOURS, COLOURS)
def test_a_mixture_begins_and_ends_with_its_colours(start, end):
    for share, pure in ((0.0, start), (1.0, end)):
        made = mixed(start, end, share)
        for place in (1, 3, 5):
            apart = int(made[place : place + 2], 16) - int(pure[place : place + 2], 16)
            assert abs(apart) <= 1


def test_between_black_and_white_lies_the_grey_that_looks_half_as_light():
    grey = luminance(mixed("#000000", "#ffffff", 0.5))
    np.testing.assert_allclose(grey, 0.125, atol=0.005)  # OKLab's lightness is a cube root.
