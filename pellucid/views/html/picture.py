"""Blocks that are pictures: drawn by matplotlib, and put into the page as SVG with real text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from pellucid.views.html.element import Html, element
from pellucid.views.html.words import running
from pellucid.views.scene import Curve, Flow, Histogram, Network, Panels, Points

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THEMES = ("light", "dark")
Picture = Curve | Flow | Histogram | Network | Panels | Points

_PARTS_OF_A_FILE = re.compile(
    r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", re.S
)
_ROOT = re.compile(r"<svg\b")
_REFERENCE = re.compile(r'(?<=\sid=")(?=[^"]+")|(?<=url\(#)|(?<=href="#)')


def draw_picture(block: Picture) -> Html:
    """The picture of a block."""
    from pellucid.views.figures import draw_figure

    return in_both(inline(draw_figure(block, theme=theme), block.title) for theme in THEMES)


def in_both(drawn: Iterable[Html]) -> Html:
    """A picture in light and in dark colours, of which the style of the page shows the one."""
    light, dark = drawn
    return element(
        "figure",
        element("div", light, class_="in-light"),
        # Where a program takes the style sheet away, one picture is enough.
        element("div", dark, class_="in-dark", style="display:none"),
        class_="picture",
    )


def inline(figure: Figure, title: str) -> Html:
    """A figure as an element of a page: its names and its style can reach nothing else there."""
    from pellucid.views.figures.picture import as_svg

    # The paper of the page shows through.
    figure.set_facecolor("none")
    for axes in figure.axes:
        axes.set_facecolor("none")
    drawn = as_svg(figure)
    own = f"f{sha256(drawn.encode()).hexdigest()[:8]}-"
    svg = _PARTS_OF_A_FILE.sub("", drawn[drawn.index("<svg") :])
    words = element("svg", role="img", aria_label=running(title))
    root = words.removesuffix("></svg>")
    return Html(_ROOT.sub(lambda _: root, _REFERENCE.sub(own, svg), count=1).strip())
