"""Trees as HTML: lists within lists, each branch with its number, its name and its formula."""

from __future__ import annotations

from pellucid.ops.figures import figure
from pellucid.views.html.element import Html, element
from pellucid.views.html.prose import captioned
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.words import running
from pellucid.views.tree import Branch, Tree


def draw_tree(tree: Tree, sheet: Sheet) -> Html:
    """The tree under its title, all of it open; its branches can be closed by a click."""
    return captioned(
        tree.title,
        element("ul", draw_branch(tree.root), class_="tree"),
        sheet=sheet,
        notes=(tree.note or "",),
    )


def draw_branch(branch: Branch) -> Html:
    """One number with its name and formula, and below it what it leads to."""
    line = (
        element("b", figure(branch.value)),
        " ",
        element("code", running(branch.name)),
        " ",
        element("i", running(branch.formula)),
    )
    below = [draw_branch(each) for each in branch.branches]
    if branch.more:
        below.append(element("li", branch.more, class_="quiet"))
    if not below:
        return element("li", *line)
    opened = element("details", element("summary", *line), element("ul", *below), open="")
    return element("li", opened)
