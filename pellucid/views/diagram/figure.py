"""A picture as a matplotlib figure, for PNG and PDF: the same shapes in the same places."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle as CirclePatch
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path as Outline

from pellucid.errors import PellucidError
from pellucid.views.diagram.lettering import STYLES
from pellucid.views.diagram.palette import NOTHING, Paint, paints
from pellucid.views.diagram.picture import Circle, Group, Path, Picture, Rect, Shape, Text
from pellucid.views.diagram.turns import corners, with_head
from pellucid.views.figures.fonts import drawable, families
from pellucid.views.figures.sizes import PAGE
from pellucid.views.figures.style import style
from pellucid.views.figures.theme import Theme, theme

PIXELS_PER_INCH = 96.0
MOST_INCHES = 200.0
"""Of height. What would be higher is drawn smaller, down to half its size."""
POINTS_PER_INCH = 72.0
MONO = "DejaVu Sans Mono"
ACROSS = {"start": "left", "middle": "center", "end": "right"}


def to_figure(picture: Picture, which: str | Theme = "light") -> Figure:
    """The picture as large as it is at 96 pixels to the inch.

    Raises:
        PellucidError: there is no theme of that name, or the picture is too high for one page.
    """
    scale = min(1 / PIXELS_PER_INCH, MOST_INCHES / picture.height)
    if scale < 0.5 / PIXELS_PER_INCH:
        raise PellucidError(
            f"This diagram is {picture.height:,.0f} pixels high, too much for PNG or PDF: write it "
            f"as SVG, or fold blocks that are alike."
        )
    look = theme(which)
    with style(look, PAGE):
        figure = Figure(figsize=(picture.width * scale, picture.height * scale))
        axes = figure.add_axes((0, 0, 1, 1))
        draw_picture(picture, axes, look, scale * POINTS_PER_INCH)
    return figure


def draw_picture(picture: Picture, axes: Axes, which: Theme, points: float) -> None:
    """Draw the picture over all of the axes; a pixel of it has so many points."""
    axes.set(xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    _Drawing(axes, paints(which), points).draw(picture.shapes)


class _Drawing:
    """Shapes on axes; `points` is how many points a pixel has."""

    def __init__(self, axes: Axes, colours: dict[str, Paint], points: float) -> None:
        self.axes = axes
        self.colours = colours
        self.points = points
        self.level = 0

    def draw(self, shapes: tuple[Shape | Group, ...]) -> None:
        for shape in shapes:
            self.level += 1
            match shape:
                case Group(_, _, inner):
                    self.draw(inner)
                case Rect():
                    self.rect(shape)
                case Circle(x, y, radius, role):
                    self.axes.add_patch(CirclePatch((x, y), radius, **self.look(role)))
                case Path():
                    self.path(shape)
                case Text():
                    self.text(shape)

    def look(self, role: str) -> dict[str, Any]:
        """Colours and outline of a role."""
        paint = self.colours[role]
        return {
            "facecolor": paint.fill,
            "edgecolor": paint.stroke,
            "linewidth": paint.width * self.points,
            "zorder": self.level,
        }

    def rect(self, rect: Rect) -> None:
        style = f"round,pad=0,rounding_size={rect.radius}" if rect.radius else "square,pad=0"
        at = (rect.x, rect.y)
        patch = FancyBboxPatch(at, rect.width, rect.height, style, **self.look(rect.role))
        self.axes.add_patch(patch)

    def path(self, path: Path) -> None:
        points = path.points
        if path.arrow:
            points, head = with_head(points)
            colour = self.colours[path.role].stroke
            self.axes.add_patch(
                Polygon(head, facecolor=colour, edgecolor=NOTHING, zorder=self.level)
            )
        places, codes = [points[0]], [Outline.MOVETO]
        for start, corner, end in corners(points):
            places += [start, corner, end]
            codes += [Outline.LINETO, Outline.CURVE3, Outline.CURVE3]
        outline = Outline([*places, points[-1]], [*codes, Outline.LINETO])
        self.axes.add_patch(PathPatch(outline, capstyle="butt", **self.look(path.role)))

    def text(self, text: Text) -> None:
        style = STYLES[text.style]
        fonts = families()
        self.axes.text(
            text.x,
            text.y,
            drawable(text.text),
            fontsize=style.size * self.points,
            fontweight="bold" if style.bold else "normal",
            fontfamily=[MONO, *fonts] if style.mono else [*fonts],
            color=self.colours[text.role].fill,
            ha=ACROSS[text.anchor],
            va="center_baseline",
            parse_math=False,
            zorder=self.level,
        )
