"""An animation of a training: every step in its order, and nothing in it moves but the numbers."""

from functools import cache

import numpy as np
import pytest
from matplotlib.animation import FFMpegWriter
from PIL import Image, ImageSequence

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.frames import Frames
from pellucid.views.figures.animation import (
    HEIGHT,
    WIDTH,
    frame_blocks,
    laid_out,
    redraw,
    to_animation,
    writer_for,
)
from pellucid.views.figures.theme import theme
from tests.training.texts import DOCUMENT, SMALL
from tests.views.catalogue.given import film as watched
from tests.views.figures.looks import (
    assert_looks_like,
    assert_nothing_cut,
    assert_nothing_overlaps,
    written,
)

LIGHT = theme("light")
HOSTILE = "$x$ <b> \U0001f642 مرحبا é́ 日本語 " + "w" * 5000


@cache
def of_text():
    film = pellucid.film(pellucid.train(DOCUMENT, film=4, **SMALL))
    return film.trace("the fox")


def scene(which, place):
    return frame_blocks(which, place, block=0, head=0)


def figure_of(which):
    return laid_out([scene(which, 0), scene(which, -1)], LIGHT)


def images(path):
    with Image.open(path) as image:
        found = []
        for each in ImageSequence.Iterator(image):
            found.append((np.asarray(each.convert("RGB"), float), each.info["duration"]))
        return found


def test_it_has_every_step_and_stays_at_the_last(tmp_path):
    seen = []
    film = watched().film.trace("groot likes", steps=[0, 40, 200])
    path = film.animate(
        tmp_path / "film.gif", per_second=2, on_frame=lambda *told: seen.append(told)
    )
    assert path == tmp_path / "film.gif"
    assert [file.name for file in tmp_path.iterdir()] == ["film.gif"]
    drawn = images(path)
    assert [duration for _, duration in drawn] == [500, 500, 1000]
    assert {image.shape for image, _ in drawn} == {(100 * HEIGHT, 100 * WIDTH, 3)}
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert (drawn[0][0] != drawn[1][0]).any()


def test_of_many_steps_some_are_drawn_the_first_and_the_last_among_them(tmp_path):
    path = watched().animate(tmp_path / "film.GIF", frames=2, per_second=1, theme="dark")
    assert len(images(path)) == 2
    (first, _), *_ = images(path)
    # The paper of the theme.
    assert np.abs(first[0, 0] - [0x15, 0x18, 0x1D]).max() < 3


@pytest.mark.parametrize("which", [watched, of_text])
def test_no_word_lies_over_another_or_is_cut_at_any_step(which):
    figure = figure_of(which())
    for place in (0, 1, 2, -1):
        redraw(figure, scene(which(), place), LIGHT)
        assert_nothing_overlaps(figure)
        assert_nothing_cut(figure)


def test_pictures_stay_where_they_are_and_axes_span_the_same():
    figure = figure_of(watched())
    seen = []
    for place in (0, 3, -1):
        redraw(figure, scene(watched(), place), LIGHT)
        seen.append(
            [(axes.get_position().bounds, axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
        )
    assert seen[0] == seen[1] == seen[2]


def test_the_step_and_its_numbers_are_written():
    figure = figure_of(watched())
    for place in (2, -1):
        step = watched().steps[place]
        redraw(figure, scene(watched(), place), LIGHT)
        said = [line.text for line in written(figure)]
        assert f"“<START> groot likes”, epoch {step} of 200" in said
        shares = watched()["probs"].values[place, -1]
        assert f"{shares.max():.3f}" in said


def test_whatever_stands_in_the_text(tmp_path):
    run = pellucid.train([HOSTILE, "$x$ 日本語"], preset="baby-groot", recipe="default", film=150)
    film = pellucid.film(run).trace(" ".join(HOSTILE.split()[:3]))
    figure = figure_of(film)
    for place in (0, -1):
        redraw(figure, scene(film, place), LIGHT)
        assert_nothing_overlaps(figure)
        assert_nothing_cut(figure)


def test_a_film_of_a_single_step_is_a_picture(tmp_path):
    film = watched().film.trace("groot likes", steps=[200])
    assert len(images(film.animate(tmp_path / "one.gif", per_second=1))) == 1


def test_its_look():
    figure = figure_of(watched())
    redraw(figure, scene(watched(), 10), LIGHT)
    assert_looks_like(figure, "animation")


@pytest.mark.skipif(not FFMpegWriter.isAvailable(), reason="ffmpeg is not installed")
def test_an_mp4_is_written_by_ffmpeg(tmp_path):
    path = watched().animate(tmp_path / "film.mp4", frames=2)
    assert path.read_bytes()[4:8] == b"ftyp"


# What is refused


@pytest.mark.parametrize("name", ["film.png", "film", "film.webm"])
def test_another_ending_is_refused(tmp_path, name):
    with pytest.raises(PellucidError, match=r"no ending of an animation: give \.gif or \.mp4"):
        to_animation(watched(), tmp_path / name)


def test_an_mp4_without_ffmpeg_is_refused_with_what_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(FFMpegWriter, "isAvailable", classmethod(lambda cls: False))
    with pytest.raises(PellucidError, match=r"ffmpeg, which is not installed: give \.gif"):
        writer_for(tmp_path / "film.mp4", 5, LIGHT)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"head": 4}, "head=4 is out of range"),
        ({"block": -3}, "block=-3 is out of range"),
        ({"frames": 1}, "frames=1: give a whole number, 2 or more"),
        ({"per_second": 0}, "per_second=0"),
        ({"theme": "grey"}, "no theme 'grey'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, options, said):
    with pytest.raises(PellucidError, match=said):
        watched().animate(tmp_path / "film.gif", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    film = watched().film.trace("groot likes", steps=[200])
    with pytest.raises(PellucidError, match=r"film\.gif cannot be written: No such file"):
        film.animate(tmp_path / "nowhere" / "film.gif", per_second=1)


def test_what_was_not_kept_is_asked_for(tmp_path):
    film = watched().film.trace("groot likes", names=["probs"])
    with pytest.raises(PellucidError, match=r"pattern was not kept in this film"):
        film.animate(tmp_path / "film.gif")


def test_frames_that_are_not_finite_are_drawn(tmp_path):
    film = watched().film
    arrays = {name: np.array(array[:2]) for name, array in film.frames.arrays.items()}
    arrays["token_embedding"][0, 3] = np.nan
    broken = type(film)(film.config, film.tokenizer, Frames((0, 4), "epoch", arrays), film.losses)
    with np.errstate(invalid="ignore"):
        seen = broken.trace("groot likes")
    figure = figure_of(seen)
    redraw(figure, scene(seen, 0), LIGHT)
    assert_nothing_cut(figure)
