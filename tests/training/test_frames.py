"""Frames in memory: kept in order, and closed to writing."""

import numpy as np
import pytest

from pellucid.training.frames import FilmInMemory

SHAPES = {"a": (3, 2), "b": (4,)}


def film(dtype="float32"):
    return FilmInMemory(SHAPES, dtype=dtype, planned=(0, 5, 10), unit="step")


def keep(reel, place, value):
    reel.write(place, {name: (0, np.full(shape, value)) for name, shape in SHAPES.items()})
    reel.mark(place)


def test_what_was_marked_is_there():
    reel = film()
    assert reel.frames().steps == ()
    keep(reel, 0, 1.0)
    keep(reel, 1, 2.0)
    frames = reel.frames()
    assert frames.steps == (0, 5)
    assert {name: array.shape for name, array in frames.arrays.items()} == {
        "a": (2, 3, 2),
        "b": (2, 4),
    }
    assert (frames.at(1)["a"] == 2).all()
    reel.flush()


def test_rows_may_come_apart():
    reel = film()
    reel.write(0, {"a": (2, np.array([[5.0, 6.0]]))})
    reel.write(0, {"a": (0, np.array([[1.0, 2.0], [3.0, 4.0]]))})
    reel.mark(0)
    np.testing.assert_array_equal(reel.frames().at(0)["a"], [[1, 2], [3, 4], [5, 6]])


def test_nobody_can_write_into_it():
    reel = film()
    keep(reel, 0, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        reel.frames().arrays["a"][...] = 0


def test_what_is_too_large_for_16_bits_is_infinite():
    reel = film("float16")
    keep(reel, 0, 1e6)
    assert np.isposinf(reel.frames().at(0)["a"]).all()
