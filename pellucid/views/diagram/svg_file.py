"""A picture as SVG: real text, a title on every box, and no scripts, fonts or addresses."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from pellucid.views.diagram.lettering import STYLES
from pellucid.views.diagram.palette import NOTHING, paints
from pellucid.views.diagram.picture import Circle, Group, Path, Picture, Point, Rect, Shape, Text
from pellucid.views.diagram.turns import corners, with_head
from pellucid.views.figures.theme import DARK, LIGHT, Theme, theme

AUTO = "auto"
"""Light or dark as the reader's own surroundings are."""
SANS = '"Inter","Segoe UI","Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif'
MONO = '"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'


def to_svg(picture: Picture, which: str | Theme = AUTO) -> str:
    """A whole SVG document, which may also stand within an HTML page.

    Raises:
        PellucidError: there is no theme of that name.
    """
    scope = "pellucid-diagram-" + (which if isinstance(which, str) else which.name)
    if which == AUTO:
        dark = "\n".join(rules(DARK, scope))
        colours = [*rules(LIGHT, scope), f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}"]
    else:
        colours = list(rules(theme(which), scope))
    style = "\n".join([*lettering(scope), *colours])
    width, height = number(picture.width), number(picture.height)
    body = "\n".join(line for shape in picture.shapes for line in draw(shape))
    # Within a page, as in a notebook, a wide diagram shrinks instead of being cut.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{scope}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" style="max-width:100%;height:auto" '
        f'role="img" aria-label="{quoted(picture.title)}">\n'
        f"<style>\n{style}\n</style>\n{body}\n</svg>\n"
    )


def lettering(scope: str) -> Iterator[str]:
    """The fonts of each style of text."""
    yield f".{scope} {{ max-width: 100%; height: auto; }}"
    yield f".{scope} text {{ dominant-baseline: central; stroke: none; }}"
    for name, style in STYLES.items():
        weight = 600 if style.bold else 400
        family = MONO if style.mono else SANS
        yield f".{scope} .t-{name} {{ font: {weight} {style.size}px {family}; }}"


def rules(which: Theme, scope: str) -> Iterator[str]:
    """The colours of each role."""
    for role, paint in paints(which).items():
        outline = f" stroke-width: {paint.width};" if paint.stroke != NOTHING else ""
        yield f".{scope} .{css(role)} {{ fill: {paint.fill}; stroke: {paint.stroke};{outline} }}"
        if paint.fill == NOTHING:
            yield f".{scope} .{css(role)}-head {{ fill: {paint.stroke}; stroke: none; }}"


def css(role: str) -> str:
    """The class that a role is in."""
    return "r-" + role.replace(" ", "-")


def draw(shape: Shape | Group) -> Iterator[str]:
    """The elements of one shape."""
    match shape:
        case Group(_, says, shapes):
            yield f"<g><title>{text(says)}</title>"
            for each in shapes:
                yield from draw(each)
            yield "</g>"
        case Rect(x, y, width, height, radius, role):
            sides = f'width="{number(width)}" height="{number(height)}" rx="{number(radius)}"'
            yield f'<rect class="{css(role)}" x="{number(x)}" y="{number(y)}" {sides}/>'
        case Circle(x, y, radius, role):
            centre = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
            yield f'<circle class="{css(role)}" {centre}/>'
        case Path(points, role, arrow):
            if arrow:
                points, head = with_head(points)
                outline = " L".join(pair(point) for point in head)
                yield f'<path class="{css(role)}-head" d="M{outline}Z"/>'
            yield f'<path class="{css(role)}" d="{rounded(points)}"/>'
        case Text(x, y, words, style, role, anchor):
            at = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
            yield f'<text class="t-{style} {css(role)}" {at}>{text(words)}</text>'


def rounded(points: tuple[Point, ...]) -> str:
    """A path with soft corners."""
    pieces = [f"M{pair(points[0])}"]
    for start, corner, end in corners(points):
        pieces.append(f"L{pair(start)}Q{pair(corner)} {pair(end)}")
    return "".join([*pieces, f"L{pair(points[-1])}"])


def pair(point: Point) -> str:
    """A point as a path has it."""
    return f"{number(point[0])} {number(point[1])}"


def number(value: float) -> str:
    """A number with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def text(words: str) -> str:
    """Words as XML; what it could not write was made visible when the words were taken in."""
    return escape(words)


def quoted(words: str) -> str:
    """The same within quotation marks."""
    return escape(words, {'"': "&quot;"})
