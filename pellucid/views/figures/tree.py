"""A tree: numbers that lead to numbers, each below the one that it was made for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from pellucid.ops.figures import figure
from pellucid.views.figures.captions import caption
from pellucid.views.figures.fonts import slant
from pellucid.views.figures.measure import Extent, room_of
from pellucid.views.figures.style import points
from pellucid.views.figures.text import safe, shortened, width
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.numbers import whole_part
from pellucid.views.tree import Branch, Tree

ROW, STEP, BETWEEN = 1.55, 1.3, 0.9
"""From branch to branch down and across, and between number, name and formula, in sizes of text."""
LEAST = 24.0
"""The narrowest tree."""


@dataclass(frozen=True)
class Twig:
    """One line of a tree: how far from the root, the line it hangs on, and its words.

    Without a number it only says what is not shown.
    """

    depth: int
    parent: int | None
    number: str
    name: str
    formula: str


def draw_tree(tree: Tree, axes: Axes, theme: Theme) -> None:
    """Draw one line a branch: its number, its name where it hangs, and how it was made."""
    blank(axes)
    size, across = points(), room_of(axes)[0]
    twigs = list(_twigs(tree.root))
    before, column = _numbers(twigs)
    for line, twig in enumerate(twigs):
        y = (line + 0.5) * ROW * size
        whole = twig.number[: whole_part(twig.number)]
        axes.text(before - width(whole, size), y, twig.number, va="center_baseline")
        left = column + twig.depth * STEP * size
        if twig.parent is not None:
            stem, top = left - 0.8 * STEP * size, (twig.parent + 0.5) * ROW * size + 0.7 * size
            corner = [stem, stem, left - 0.2 * size], [top, y, y]
            axes.plot(*corner, color=theme.quiet, linewidth=size / 12, clip_on=False)
        name = shortened(safe(twig.name), across - left, size)
        ink = theme.ink if twig.number else theme.quiet
        axes.text(left, y, name, va="center_baseline", color=ink)
        left += width(name, size) + BETWEEN * size
        if twig.formula and across - left > 4 * size:
            formula = shortened(safe(twig.formula), across - left, size)
            look: dict[str, Any] = {"color": theme.quiet, "fontstyle": slant(formula)}
            small = points("small")
            axes.text(left, y, formula, va="center_baseline", fontsize=small, **look)
    caption(axes, theme, tree.title, note=tree.note)


def tree_extent(tree: Tree, room: float) -> Extent:
    """As wide as its longest line, if there is room."""
    size = points()
    twigs = list(_twigs(tree.root))
    column = _numbers(twigs)[1]
    longest = max(
        column + twig.depth * STEP * size + width(safe(f"{twig.name}  {twig.formula}"), size)
        for twig in twigs
    )
    across = min(longest + BETWEEN * size, room)
    return Extent(across, len(twigs) * ROW * size, min(LEAST * size, across), words=True)


def _numbers(twigs: list[Twig]) -> tuple[float, float]:
    """Where the points of the numbers stand, and where the names begin."""
    size = points()
    heads = [twig.number[: whole_part(twig.number)] for twig in twigs]
    before = max(width(head, size) for head in heads)
    after = max(
        width(twig.number[len(head) :], size) for twig, head in zip(twigs, heads, strict=True)
    )
    return before, before + after + BETWEEN * size


def _twigs(branch: Branch) -> Iterator[Twig]:
    """Each branch from the top down, and a line for what is not shown below it."""
    line = 0

    def below(branch: Branch, depth: int, parent: int | None) -> Iterator[Twig]:
        nonlocal line
        here = line
        line += 1
        yield Twig(depth, parent, figure(branch.value), branch.name, branch.formula)
        for child in branch.branches:
            yield from below(child, depth + 1, here)
        if branch.more:
            line += 1
            yield Twig(depth + 1, here, "", branch.more, "")

    return below(branch, 0, None)
