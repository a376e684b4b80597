"""Frames as GIF: the colours of the theme, each frame for its time, and the last for longer."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image, ImageSequence

from pellucid.views.figures.gif import GifWriter, apart, palette
from pellucid.views.figures.theme import DARK, LIGHT


def rgb(colour):
    return list(bytes.fromhex(colour[1:]))


def written(path, theme, colours, **options):
    """A GIF with a frame that has all of one colour, for each."""
    writer = GifWriter(theme, **options)
    figure = Figure(figsize=(2, 1))
    with writer.saving(figure, str(path), 50):
        for colour in colours:
            figure.set_facecolor(colour)
            writer.grab_frame(facecolor=colour)
    with Image.open(path) as image:
        return [
            (np.asarray(each.convert("RGB")), each.info["duration"])
            for each in ImageSequence.Iterator(image)
        ]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_of_the_theme_are_nearly_themselves_and_the_paper_exactly(tmp_path, theme):
    colours = (theme.paper, theme.ink, theme.quiet, *theme.series, theme.probability)
    drawn = written(tmp_path / "a.gif", theme, colours, fps=2, last=1)
    for (image, _), colour in zip(drawn, colours, strict=True):
        assert image.shape == (50, 100, 3)
        assert np.abs(image[20, 20].astype(int) - rgb(colour)).max() <= 8
    assert drawn[0][0][20, 20].tolist() == rgb(theme.paper)


def test_each_frame_has_its_time_and_the_last_more(tmp_path):
    drawn = written(tmp_path / "a.gif", LIGHT, (LIGHT.paper, LIGHT.ink), fps=4, last=3)
    assert [duration for _, duration in drawn] == [250, 3000]


def test_a_palette_has_no_more_colours_than_a_gif():
    for theme in (LIGHT, DARK):
        colours = np.array(palette(theme).getpalette()).reshape(-1, 3)
        assert 100 < len(colours) <= 256
        assert colours[0].tolist() == rgb(theme.paper)


def test_colours_too_near_to_be_told_apart_are_left_out():
    found = apart(["#ffffff", "#fdfdfd", "#f0ffff", "#f0ffff", "#000000"])
    assert found == [b"\xff\xff\xff", b"\xf0\xff\xff", b"\x00\x00\x00"]
