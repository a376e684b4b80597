"""A film's file: whole at every moment, and what anybody's safetensors reads."""

import json
import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pellucid.errors import PellucidError
from pellucid.training.film_file import FILM, About, FilmFile, write_film
from pellucid.training.film_plan import FilmPlan
from pellucid.training.frames import Frames

SHAPES = {"a": (3, 2), "b": (4,)}
ABOUT = About(plan=FilmPlan(every=5), planned=(0, 5, 10))


@pytest.fixture
def film(tmp_path):
    return FilmFile.create(tmp_path / FILM, SHAPES, dtype="float32", about=ABOUT)


def parameters(step):
    rng = np.random.default_rng(step)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}


def keep(film, *places):
    for place in places:
        film.write(place, {n: (0, array) for n, array in parameters(place).items()})
        film.mark(place)


def test_it_is_safetensors_at_once_with_nothing_in_it(film):
    found = load_file(film.path)
    assert found["step"].tolist() == [-1, -1, -1]
    assert {name: array.shape for name, array in found.items() if name != "step"} == {
        "a": (3, 3, 2),
        "b": (3, 4),
    }
    assert film.frames().steps == ()


def test_what_was_written_is_what_anybody_reads(film):
    keep(film, 0, 1)
    found = load_file(film.path)
    assert found["step"].tolist() == [0, 5, -1]
    for place in (0, 1):
        for name, array in parameters(place).items():
            np.testing.assert_array_equal(found[name][place], array)
            np.testing.assert_array_equal(film.frames().at(place)[name], array)
    assert film.frames().steps == (0, 5)
    assert len(film.frames().arrays["a"]) == 2


def test_what_is_written_and_not_marked_is_not_there(film):
    keep(film, 0)
    film.write(1, {name: (0, array) for name, array in parameters(1).items()})
    assert film.frames().steps == (0,)
    assert FilmFile(film.path).frames().steps == (0,)


def test_rows_may_come_from_several_writers(film):
    whole = parameters(7)
    other = FilmFile(film.path)
    film.write(2, {"a": (0, whole["a"][:2]), "b": (0, whole["b"][:1])})
    other.write(2, {"a": (2, whole["a"][2:]), "b": (1, whole["b"][1:])})
    for name, array in whole.items():
        np.testing.assert_array_equal(film.mapped(name)[2], array)


def test_cut_back_forgets_what_came_after_a_step(film):
    keep(film, 0, 1, 2)
    film.cut_back(5)
    assert film.frames().steps == (0, 5)
    film.cut_back(4)
    assert film.frames().steps == (0,)


def test_written_again_it_is_the_same_file(film, tmp_path):
    keep(film, 0, 1, 2)
    before = film.path.read_bytes()
    film.cut_back(0)
    assert film.path.read_bytes() != before
    keep(film, 1, 2)
    assert film.path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system reserves no room")
def test_the_disk_has_its_room_from_the_beginning(tmp_path):
    film = FilmFile.create(tmp_path / FILM, {"a": (1000, 250)}, dtype="float32", about=ABOUT)
    size = film.path.stat()
    assert size.st_size > 3 * 1_000_000
    assert size.st_blocks * 512 >= size.st_size


def test_frames_written_at_once_are_the_same_as_those_that_were_kept(film, tmp_path):
    keep(film, 0, 1)
    write_film(tmp_path / "other", film.frames(), about=ABOUT)
    assert (tmp_path / "other").read_bytes() == film.path.read_bytes()


def test_half_precision_halves_the_file_and_rounds(tmp_path):
    half = FilmFile.create(tmp_path / FILM, SHAPES, dtype="float16", about=ABOUT)
    keep(half, 0)
    assert half.dtype == "float16"
    for name, array in parameters(0).items():
        np.testing.assert_array_equal(half.frames().at(0)[name], array.astype(np.float16))


def test_frames_are_in_order_and_know_what_they_count():
    frames = Frames((0, 2), "epoch", {"a": np.array([[1.0], [3.0]])})
    assert frames.at(1) == {"a": np.array([3.0])}


# What is refused


def test_what_is_no_film_is_refused(tmp_path):
    save_file({"a": np.zeros(3, np.float32)}, tmp_path / "weights")
    with pytest.raises(PellucidError, match="is no film of a training"):
        FilmFile(tmp_path / "weights")
    (tmp_path / "text").write_text("once upon a time")
    with pytest.raises(PellucidError, match="is damaged or not safetensors"):
        FilmFile(tmp_path / "text")
    with pytest.raises(PellucidError, match="cannot be read: No such file"):
        FilmFile(tmp_path / "nothing")


def test_a_film_that_was_cut_off_is_refused(film):
    os.truncate(film.path, film.path.stat().st_size - 1)
    with pytest.raises(PellucidError, match="is damaged: b does not fit"):
        FilmFile(film.path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda head: head["a"].update(shape=[3, 2, 2]), "a does not fit"),
        (lambda head: head["a"].update(shape=[2, 3, 2]), "a is not of 3 steps"),
        (lambda head: head["a"].update(dtype="BF16"), "a is of type BF16"),
        (lambda head: head["a"].update(data_offsets=[0, 10**9]), "a does not fit"),
        (lambda head: head["__metadata__"].update(about="{}"), "plan"),
        (lambda head: head.pop("step"), "no steps"),
        (lambda head: head.update(a=3), "Expected"),
        (lambda head: head["__metadata__"].update(format="pellucid film 9"), "another version"),
    ],
)
def test_a_head_that_lies_is_refused(film, change, said):
    content = film.path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    change(head)
    text = json.dumps(head).encode()
    film.path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    with pytest.raises(PellucidError, match=said):
        FilmFile(film.path)
