"""A picture as plain shapes with places, in pixels from the upper left: what every medium draws.

A `role` says what a shape is for; a palette gives it its colours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with round corners, by its upper left."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    role: str

    def moved(self, x: float, y: float) -> Rect:
        return replace(self, x=self.x + x, y=self.y + y)


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle by its middle."""

    x: float
    y: float
    radius: float
    role: str

    def moved(self, x: float, y: float) -> Circle:
        return replace(self, x=self.x + x, y=self.y + y)


@dataclass(frozen=True, slots=True)
class Path:
    """Straight pieces from point to point; `arrow`: with a head at the last."""

    points: tuple[Point, ...]
    role: str
    arrow: bool = False

    def moved(self, x: float, y: float) -> Path:
        return replace(self, points=tuple((px + x, py + y) for px, py in self.points))


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `y` is its middle, `style` one of `lettering.STYLES`."""

    x: float
    y: float
    text: str
    style: str
    role: str
    anchor: Anchor = "start"

    def moved(self, x: float, y: float) -> Text:
        return replace(self, x=self.x + x, y=self.y + y)


Shape = Rect | Circle | Path | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that are one thing: its name, and what is said when a reader points at it."""

    name: str
    says: str
    shapes: tuple[Shape, ...]

    def moved(self, x: float, y: float) -> Group:
        return replace(self, shapes=tuple(shape.moved(x, y) for shape in self.shapes))


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, the lowest first."""

    width: float
    height: float
    title: str
    shapes: tuple[Shape | Group, ...]
