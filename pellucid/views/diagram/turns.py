"""Lines with soft corners and arrow heads, as points that every medium can draw."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

from pellucid.views.diagram.picture import Point

HEAD = 9.0
"""The length of an arrow's head."""
TURN = 7.0
"""The radius with which a line turns."""


def with_head(points: tuple[Point, ...]) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """A line that ends where its head begins, and the corners of the head."""
    (x0, y0), (x1, y1) = points[-2:]
    length = hypot(x1 - x0, y1 - y0)
    along = (x1 - x0) / length, (y1 - y0) / length
    base = x1 - HEAD * along[0], y1 - HEAD * along[1]
    side = HEAD * 0.48 * along[1], -HEAD * 0.48 * along[0]
    head = (x1, y1), (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])
    inside = base[0] + along[0], base[1] + along[1]
    return (*points[:-1], inside), head


def corners(points: tuple[Point, ...]) -> Iterator[tuple[Point, Point, Point]]:
    """For each corner of a line where the turn begins, the corner itself, and where it ends."""
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        yield _toward(corner, before), corner, _toward(corner, after)


def _toward(corner: Point, other: Point) -> Point:
    """A point on the way from a corner to the next one."""
    (x, y), (to_x, to_y) = corner, other
    length = hypot(to_x - x, to_y - y)
    share = min(TURN, length / 2) / length
    return x + share * (to_x - x), y + share * (to_y - y)
