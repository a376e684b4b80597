"""What stands above and below a diagram: its title, the prompt's tokens, what the signs mean."""

from __future__ import annotations

from collections.abc import Iterator

from pellucid.views.diagram.geometry import PILL_PADDING, Area
from pellucid.views.diagram.lettering import STYLES, shorten, wrap
from pellucid.views.diagram.picture import Group, Path, Rect, Shape, Text
from pellucid.views.diagram.structure import Structure
from pellucid.views.selection import Selection

Part = tuple[list[Shape | Group], float]
"""Shapes, the uppermost at about y = 0, and how high all of them are."""

HEADING = 38.0
CHIP, CHIP_GAP = 28.0, 6.0
"""How high a token's chip is, and the room between two."""
STRIP = 64.0
"""How high the row of chips is, with its arrow."""
MOST_CHARACTERS = 24
"""Of a token on its chip."""
LEFT_OUT = 120.0
"""The room for saying how many tokens are left out."""


def head(title: str, structure: Structure, around: Area) -> Part:
    """The heading and the tokens of the prompt."""
    shapes: list[Shape | Group] = []
    y = 0.0
    if title:
        most = len(title)
        while STYLES["heading"].width(shorten(title, most)) > around.right - around.left:
            most -= 1
        shapes.append(Text(around.left, 12, shorten(title, most), "heading", "ink"))
        y += HEADING
    if structure.tokens:
        shapes += [each.moved(0, y) for each in strip(structure.tokens, around)]
        y += STRIP
    return shapes, y


def strip(tokens: tuple[str, ...], around: Area) -> Iterator[Shape | Group]:
    """The tokens of the prompt, above the spine, and an arrow to where their ids go in."""
    row, width = chips(tokens, around.right - around.left)
    # In the middle above the spine, at x = 0, where there is room for it.
    start = max(-width / 2, around.left)
    yield from (chip.moved(start, 0) for chip in row)
    yield Path(((0, CHIP + 20), (0, STRIP)), "branch", arrow=True)


def chips(tokens: tuple[str, ...], room: float) -> tuple[list[Group], float]:
    """Tokens in a row from x = 0, as many as there is room for; and how wide the row is."""
    labels = [shorten(token, MOST_CHARACTERS) for token in tokens]
    widths = [STYLES["token"].width(label) + 2 * PILL_PADDING for label in labels]
    row: list[Group] = []
    x, before = 0.0, -1
    for place in (*fitting(widths, room).indices, len(tokens)):
        if (left_out := place - before - 1) > 0:
            more = f"… {left_out:,} more …"
            row.append(Group("", more, (Text(x + 4, CHIP / 2, more, "token", "quiet"),)))
            x += STYLES["token"].width(more) + 14
        if place == len(tokens):
            break
        width, middle = widths[place], x + widths[place] / 2
        chip = (
            Rect(x, 0, width, CHIP, 6, "pill"),
            Text(middle, CHIP / 2, labels[place], "token", "ink", "middle"),
            Text(middle, CHIP + 9, f"{place}", "index", "quiet", "middle"),
        )
        row.append(Group("", f"position {place}: {tokens[place]}", chip))
        x, before = x + width + CHIP_GAP, place
    return row, x - CHIP_GAP


def fitting(widths: list[float], room: float) -> Selection:
    """As many chips as there is room for, some of the last among them."""
    for many in range(len(widths), 1, -1):
        shown = Selection.of(len(widths), many)
        taken = sum(widths[place] + CHIP_GAP for place in shown.indices)
        if taken + LEFT_OUT * (not shown.whole) <= room:
            return shown
    return Selection(len(widths), 1)


def foot(structure: Structure, around: Area) -> Part:
    """What the signs mean."""
    leading = STYLES["caption"].leading
    lines = wrap(legend(structure), "caption", around.right - around.left)
    texts = (
        Text(around.left, 30 + place * leading, line, "caption", "quiet")
        for place, line in enumerate(lines)
    )
    return list(texts), 24 + len(lines) * leading


def legend(structure: Structure) -> str:
    """What the signs mean, in words."""
    said = ["Thick: the stream, one vector for each position, to which (+) adds."]
    said.append("Rounded: what a run is given.")
    if structure.depth == "deep":
        said.append("Shaded: learned parameters.")
    if structure.most_positions is not None:
        said.append(f"position: as long as the text, at most {structure.most_positions:,}.")
    return " ".join(said)
