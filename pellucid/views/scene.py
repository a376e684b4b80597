"""What to show, and in what order: blocks of plain data that every medium draws in its own way.

A block holds numbers and words, never colours or widths, and a view of it shows no other numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.views import markup
from pellucid.views.flow import Flow as Flow
from pellucid.views.graph_diagram import GraphDiagram as GraphDiagram
from pellucid.views.histogram import Distribution as Distribution
from pellucid.views.histogram import Histogram as Histogram
from pellucid.views.matrix import Axis as Axis
from pellucid.views.matrix import Matrix as Matrix
from pellucid.views.matrix import MatrixKind as MatrixKind
from pellucid.views.matrix import frozen
from pellucid.views.network import Layer as Layer
from pellucid.views.network import Network as Network
from pellucid.views.panels import Panels as Panels
from pellucid.views.points import Points as Points
from pellucid.views.tree import Branch as Branch
from pellucid.views.tree import Tree as Tree

Align = Literal["left", "right", "decimal"]
Cell = str | int | float | None


@dataclass(frozen=True)
class Heading:
    """A title over what follows; level 1 stands highest, 3 lowest."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Prose:
    """Running text with the marks of `pellucid.views.markup`; an empty line parts paragraphs."""

    text: str

    @property
    def paragraphs(self) -> tuple[tuple[markup.Span, ...], ...]:
        """Each paragraph as spans; line breaks within one are spaces."""
        parts = re.split(r"\n\s*\n\s*", self.text.strip())
        return tuple(markup.spans(re.sub(r"\s*\n\s*", " ", part)) for part in parts if part)


@dataclass(frozen=True)
class Equation:
    """A formula in plain text, and in LaTeX for media that can set it."""

    plain: str
    latex: str | None = None


@dataclass(frozen=True)
class Table:
    """Rows of words and numbers. Without `align`, words stand left and numbers by their points.

    Raises ValueError when a row, or `align`, is not as long as `columns`.
    """

    title: str | None
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: tuple[Align, ...] | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        rows = (tuple(_plain(cell) for cell in row) for row in self.rows)
        object.__setattr__(self, "rows", tuple(rows))
        for row in (*self.rows, *((self.align,) if self.align is not None else ())):
            if len(row) != len(self.columns):
                raise ValueError(f"{len(row)} cells for {len(self.columns)} columns: {row}")


@dataclass(frozen=True)
class Bars:
    """Labelled lengths, negative ones to the left. `limit` is the value of a full bar.

    Without a limit the largest magnitude fills its bar. `unit` follows each number, and `shares`,
    where there are any, say what part of the whole each item is, from 0 to 1. `whole` asks for
    every bar, however many there are.

    Raises ValueError when there are shares, and not one for each item.
    """

    title: str | None
    items: tuple[tuple[str, float], ...]
    limit: float | None = None
    unit: str = ""
    note: str | None = None
    shares: tuple[float, ...] = ()
    whole: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple((label, float(n)) for label, n in self.items))
        object.__setattr__(self, "shares", tuple(float(share) for share in self.shares))
        if self.shares and len(self.shares) != len(self.items):
            raise ValueError(f"{len(self.shares)} shares for {len(self.items)} bars")


@dataclass(frozen=True, eq=False)
class Series:
    """One line of a curve: `y` over `x`, or over 0, 1, 2, … without `x`.

    Raises ValueError when `x` and `y` differ in length.
    """

    name: str
    y: NDArray[Any]
    x: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        y = frozen(np.asarray(self.y, dtype=np.float64).reshape(-1))
        x = frozen(np.arange(len(y)) if self.x is None else np.asarray(self.x, dtype=np.float64))
        if x.shape != y.shape:
            raise ValueError(f"{len(x)} x values for {len(y)} y values of {self.name}")
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "x", x)


@dataclass(frozen=True)
class Level:
    """A horizontal line that a curve is to be read against, such as the floor of a loss."""

    name: str
    y: float


@dataclass(frozen=True)
class Curve:
    """Lines over a common axis, with levels to read them against.

    With `logarithmic`, both axes go by powers of ten.

    Raises ValueError when they do, and a number is not above 0.
    """

    title: str
    series: tuple[Series, ...]
    x_label: str
    y_label: str
    levels: tuple[Level, ...] = ()
    note: str | None = None
    logarithmic: bool = False

    def __post_init__(self) -> None:
        numbers = [np.asarray(each) for series in self.series for each in (series.x, series.y)]
        numbers.append(np.array([level.y for level in self.levels]))
        if self.logarithmic and any((each <= 0).any() for each in numbers):
            raise ValueError(f"{self.title}: powers of ten reach no number that is not above 0")


@dataclass(frozen=True)
class Listing:
    """Text that keeps its own lines and columns, such as a diagram or a tree."""

    text: str
    title: str | None = None


@dataclass(frozen=True)
class Row:
    """Blocks that belong side by side, where the medium is wide enough."""

    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(self.blocks))


Block = (
    Heading
    | Prose
    | Equation
    | Matrix
    | Table
    | Bars
    | Curve
    | Listing
    | Tree
    | Flow
    | Network
    | Histogram
    | Panels
    | Points
    | GraphDiagram
    | Row
)
"""Anything that can stand in a scene."""


@dataclass(frozen=True)
class Scene:
    """A titled sequence of blocks: a page, a chapter, or what one command prints."""

    title: str
    blocks: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(self.blocks))


def _plain(cell: Cell) -> Cell:
    """The Python number in place of one of NumPy's."""
    return cell.item() if isinstance(cell, np.generic) else cell
