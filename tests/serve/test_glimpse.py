"""A large tensor at a glance says of all numbers how far they reach."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.serve.glimpse import glimpse, starts


@pytest.mark.parametrize("shape", [(7, 5), (1, 40), (300, 2), (40,), ()])
def test_each_pixel_is_the_number_farthest_from_zero_under_it(shape, monkeypatch):
    monkeypatch.setattr("pellucid.serve.glimpse.PIECE", 8)
    values = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    most = [3, 4][: len(shape)]
    found = glimpse(values, most)
    matrix = values.reshape(values.shape if values.ndim == 2 else (1, -1))
    rows, columns = ([1, 1, *most])[-2:] if values.ndim else (1, 1)
    rows, columns = min(rows, matrix.shape[0]), min(columns, matrix.shape[1])
    expected = []
    for band in np.split(matrix, starts(len(matrix), rows)[1:]):
        for block in np.split(band, starts(matrix.shape[1], columns)[1:], axis=1):
            expected.append(block.flat[np.abs(block).argmax()])
    np.testing.assert_array_equal(found[3:], expected)
    np.testing.assert_array_equal(found[:3], [np.abs(values).max(), 0, 0])


def test_what_is_infinite_is_counted_and_passed_over_and_what_is_no_number_stays_so():
    values = np.array([[-np.inf, np.nan, -2], [np.inf, 1, 2]], dtype=np.float32)
    extent, pixel = np.split(glimpse(values, [1, 1]), [3])
    assert extent.tolist() == [2, 2, 1]
    assert np.isnan(pixel).all()
    first, *others = glimpse(values, [1, 3])[3:].tolist()
    assert (first, np.isnan(others[0]), others[1]) == (0, True, 2)


def test_a_picture_has_two_sides():
    with pytest.raises(PellucidError, match="two sides, not 3"):
        glimpse(np.zeros((2, 2, 2)), [1, 1, 1])
