"""Trees on a terminal: the numbers in one column, the branches beside them, the formulas last."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from pellucid.ops.figures import figure
from pellucid.views.labels import clean
from pellucid.views.numbers import at_points
from pellucid.views.terminal import theme
from pellucid.views.terminal.ascii import spelt
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark
from pellucid.views.tree import Branch, Tree

_LONGEST_NAME = 0.75
"""The most of the room beside the numbers that names may take."""


def draw_tree(tree: Tree, page: Page) -> Lines:
    """Draw one line a branch; where nothing more is shown, a line says what there is."""
    lines = list(_lines(tree.root, "", ""))
    texts = at_points(
        [spelt(figure(branch.value), page.encoding) for _, branch in lines if branch is not None]
    )
    numbers, side = iter(texts), cell_len(texts[0])
    room = page.width - INDENT - side - 4
    names = [stem + clean(branch.name) for stem, branch in lines if branch is not None]
    width = min(max(map(cell_len, names)), int(room * _LONGEST_NAME))
    drawn = list(caption(tree.title, page))
    for stem, branch in lines:
        if branch is None:
            drawn.append(Text(" " * (INDENT + side + 2)).append(fit(stem, room), theme.QUIET))
            continue
        number = next(numbers)
        name = fit(stem + clean(branch.name), width)
        line = Text(f"{' ' * INDENT}{number}  {name}  ")
        spare = page.width - line.cell_len
        formula = clean(branch.formula)
        line.append(fit(formula, min(cell_len(formula), spare)), theme.FORMULA)
        drawn.append(line)
    if tree.note:
        drawn.extend(remark(tree.note, page))
    return tuple(drawn)


def _lines(branch: Branch, here: str, below: str) -> Iterator[tuple[str, Branch | None]]:
    """Each branch with what stands before its name; None for a line that only says what is left."""
    yield here, branch
    last = len(branch.branches) - 1
    for i, child in enumerate(branch.branches):
        ends = i == last and not branch.more
        yield from _lines(
            child, below + ("└─ " if ends else "├─ "), below + ("   " if ends else "│  ")
        )
    if branch.more:
        yield f"{below}└─ {branch.more}", None
