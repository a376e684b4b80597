"""Colours that can be read on dark and on light, and that mean what they say."""

from typing import get_args

import pytest
from rich.style import Style

from pellucid.views.scene import MatrixKind
from pellucid.views.terminal import theme


def luminance(colour):
    """Relative luminance of sRGB (WCAG 2.2)."""
    coded = [channel / 255 for channel in colour.get_truecolor()]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in coded)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


def steps():
    for kind in ("signed", "probability", "weight"):
        yield from theme.swatches(kind)
        yield from theme.swatches(kind, below=True)
    yield theme.NOT_A_NUMBER


def test_filled_cells_bring_their_own_readable_text():
    for style in steps():
        if style.bgcolor is not None:
            assert style.color is not None
            assert contrast(luminance(style.color), luminance(style.bgcolor)) >= 4.5


@pytest.mark.parametrize("background", [0.0, 1.0])
def test_coloured_text_can_be_read_on_black_and_on_white(background):
    named = (theme.LINK, theme.CODE, theme.POSITIVE, theme.NEGATIVE, *theme.SERIES)
    for style in (*named, *steps()):
        if style.bgcolor is None:
            assert contrast(luminance(style.color), background) >= 4.5


def blueness(style):
    red, _, blue = (style.bgcolor or style.color).get_truecolor()
    return blue - red


def test_positive_is_blue_negative_is_orange_and_the_ends_are_strongest():
    up, down = theme.swatches("signed"), theme.swatches("signed", below=True)
    assert all(blueness(style) > 0 for style in up)
    assert all(blueness(style) < 0 for style in down)
    fills = [abs(blueness(style)) for style in up if style.bgcolor is not None]
    assert fills == sorted(fills)
    assert len(set(fills)) == len(fills)


@pytest.mark.parametrize("kind", ["signed", "weight", "probability"])
def test_cells_take_the_steps_of_the_legend(kind):
    assert theme.cell_style(kind, 2.0, 2.0) == theme.swatches(kind)[-1]
    assert theme.cell_style(kind, 9.0, 2.0) == theme.swatches(kind)[-1]
    assert theme.cell_style(kind, 1e-4, 2.0) == Style.null()
    steps = [theme.cell_style(kind, n / 100, 1.0) for n in range(101)]
    assert tuple(dict.fromkeys(steps[9:])) == theme.swatches(kind)
    assert theme.cell_style("signed", -2.0, 2.0) == theme.swatches("signed", below=True)[-1]


def test_what_is_not_a_magnitude_has_no_colour_of_one():
    inf = float("inf")
    for kind in get_args(MatrixKind):
        assert theme.cell_style(kind, -inf, 1.0) == theme.QUIET
        assert theme.cell_style(kind, 0.0, 1.0) == theme.QUIET
        assert theme.cell_style(kind, float("nan"), 1.0) == theme.NOT_A_NUMBER
    assert theme.cell_style("ids", 5.0, 5.0) == theme.cell_style("plain", 5.0, 5.0) == Style.null()
    assert theme.swatches("ids") == theme.swatches("plain") == ()
    assert theme.cell_style("signed", 5.0, 0.0) == Style.null()


def test_sixteen_colours_show_strong_cells_alone_and_both_their_colours():
    for kind in ("signed", "probability"):
        (filled,) = theme.swatches(kind, colours=16)
        assert None not in (filled.color, filled.bgcolor)
        assert theme.cell_style(kind, 0.9, 1.0, colours=16) == filled
        assert theme.cell_style(kind, 0.2, 1.0, colours=16) == Style.null()
    below = theme.swatches("signed", below=True, colours=16)
    assert below != theme.swatches("signed", colours=16)
    assert theme.cell_style("signed", -0.9, 1.0, colours=16) == below[0]
