"""A tree: numbers that lead to numbers, indented below each other."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes

from pellucid.ops.figures import figure
from pellucid.views.figures.captions import foot, head
from pellucid.views.figures.style import points
from pellucid.views.figures.text import LINE, safe
from pellucid.views.figures.theme import Theme
from pellucid.views.figures.words import blank
from pellucid.views.tree import Branch, Tree


def draw_tree(tree: Tree, axes: Axes, theme: Theme) -> None:
    """Draw one line a branch, with its number and its formula."""
    blank(axes)
    for line, (depth, branch) in enumerate(branches(tree.root)):
        text = f"{safe(branch.name)} = {figure(branch.value)}   {safe(branch.formula)}"
        axes.text(depth * 1.5 * points(), line * LINE * points(), text, va="top")
    head(axes, theme, tree.title)
    foot(axes, theme, tree.note)


def branches(branch: Branch, depth: int = 0) -> Iterator[tuple[int, Branch]]:
    """Each branch with how far it is from the root, from the top down."""
    yield depth, branch
    for child in branch.branches:
        yield from branches(child, depth + 1)
