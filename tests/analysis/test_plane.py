"""The plane in which rows differ most: as a singular value decomposition finds it."""

import numpy as np
import pytest

from pellucid.analysis.plane import Plane


def rows(count=40, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, columns)) * [5, 3, 1, 1, 0.5, 0.1][:columns] + 7


def test_it_is_that_of_the_singular_value_decomposition():
    numbers = rows()
    plane = Plane.of(numbers)
    centred = numbers - numbers.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    for ours, theirs in zip(plane.directions, directions, strict=False):
        assert abs(ours @ theirs) == pytest.approx(1, rel=1e-9)
    np.testing.assert_allclose(plane.shares, (sizes**2 / (sizes**2).sum())[:2], rtol=1e-9)


def test_directions_are_at_right_angles_and_of_length_1():
    directions = Plane.of(rows()).directions
    np.testing.assert_allclose(directions @ directions.T, np.eye(2), atol=1e-12)


def test_no_other_plane_leaves_less_out():
    numbers, rng = rows(), np.random.default_rng(1)
    spread = Plane.of(numbers).seen(numbers).var(axis=0).sum()
    for _ in range(20):
        other, _ = np.linalg.qr(rng.normal(size=(6, 2)))
        assert (numbers @ other).var(axis=0).sum() <= spread


def test_a_direction_points_to_where_its_largest_number_is_positive():
    for seed in range(8):
        for direction in Plane.of(rows(seed=seed)).directions:
            assert direction[np.abs(direction).argmax()] > 0


def test_rows_mirrored_are_seen_mirrored_and_not_on_one_axis_alone():
    numbers = rows() - rows().mean(axis=0)
    there, mirrored = Plane.of(numbers), Plane.of(-numbers)
    np.testing.assert_allclose(mirrored.seen(-numbers), -there.seen(numbers), atol=1e-12)


def test_all_rows_alike_lie_on_one_place():
    plane = Plane.of(np.ones((5, 3)))
    assert plane.shares == (0.0, 0.0)
    np.testing.assert_array_equal(plane.seen(np.ones((5, 3))), np.zeros((5, 2)))


def test_one_column_has_no_second_direction():
    plane = Plane.of(rows(columns=1))
    assert plane.shares == pytest.approx((1.0, 0.0))
    assert (plane.seen(rows(columns=1))[:, 1] == 0).all()


def test_rows_of_any_shape_are_seen_and_in_float64():
    numbers = rows().astype(np.float32)
    plane = Plane.of(numbers)
    seen = plane.seen(numbers.reshape(2, 20, 6))
    assert seen.shape == (2, 20, 2)
    assert seen.dtype == np.float64
    np.testing.assert_array_equal(seen.reshape(40, 2), plane.seen(numbers))
