"""Blocks that are pictures: drawn by matplotlib, and put into the page as SVG with real text."""

from __future__ import annotations

import io
import re
from hashlib import sha256
from typing import TYPE_CHECKING

from pellucid.views.html.element import Html, element
from pellucid.views.labels import clean
from pellucid.views.scene import Curve, Flow, Histogram, Network, Panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Picture = Curve | Flow | Histogram | Network | Panels

_PARTS_OF_A_FILE = re.compile(
    r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", re.S
)
_ROOT = re.compile(r"<svg\b")
_REFERENCE = re.compile(r'(?<=\sid=")(?=[^"]+")|(?<=url\(#)|(?<=href="#)')


def draw_picture(block: Picture) -> Html:
    """The picture in light and in dark colours; the style of the page shows the one that fits."""
    from pellucid.views.figures import draw_figure

    light, dark = (inline(draw_figure(block, theme=theme), block.title) for theme in THEMES)
    return element(
        "figure",
        element("div", light, class_="in-light"),
        # Where a program takes the style sheet away, one picture is enough.
        element("div", dark, class_="in-dark", style="display:none"),
        class_="picture",
    )


THEMES = ("light", "dark")


def inline(figure: Figure, title: str) -> Html:
    """A figure as an element of a page: its names and its style can reach nothing else there."""
    drawn = written(figure)
    svg = _PARTS_OF_A_FILE.sub("", drawn[drawn.index("<svg") :])
    own = f"f{sha256(drawn.encode()).hexdigest()[:8]}-"
    svg = _REFERENCE.sub(own, svg)
    words = element("svg", role="img", aria_label=clean(title), class_="joined").removesuffix(
        "></svg>"
    )
    return Html(_ROOT.sub(lambda _: words, svg, count=1).strip())


def written(figure: Figure) -> str:
    """The file of a figure, the same for the same picture."""
    import matplotlib

    file = io.BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pellucid"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue().decode()
