"""One block drawn by itself, to be looked into."""

from contextlib import contextmanager

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from pellucid.views.figures.draw import draw
from pellucid.views.figures.picture import Picture
from pellucid.views.figures.sizes import PAGE, POINTS
from pellucid.views.figures.style import style
from pellucid.views.figures.theme import LIGHT

HOSTILE = (
    *("$x$ $", "<script>alert(1)</script>", "a\nb\tc", "👍🏽", "👨\u200d👩\u200d👧", "שלום עולם"),
    *(
        "\u202eabc",
        "e\u0301",
        "\u0301",
        "日本語",
        "[b](c) **d** `e`",
        "\\frac{1}{2} a_b^c",
        "\ud800",
    ),
    *("", " ", "  two  ", "w" * 5000, "\x00\x1b[31m", "$$", "مرحبا"),
)
"""Labels and words as users may have them."""


@contextmanager
def styled(theme=LIGHT, size=PAGE):
    """Inside, lengths are measured as on a figure of that size."""
    with style(theme, size):
        yield


def sheet(width: float, height: float) -> Axes:
    """Empty axes of so many points, with room around them."""
    figure = Picture(figsize=((width + 400) / POINTS, (height + 400) / POINTS))
    across, down = (side * POINTS for side in figure.get_size_inches())
    return figure.add_axes((200 / across, 200 / down, width / across, height / down))


def drawn(block, width=300.0, height=200.0, *, theme=LIGHT, size=PAGE) -> Axes:
    """The block in axes of so many points."""
    with style(theme, size):
        axes = sheet(width, height)
        draw(block, axes, theme)
    return axes


def texts(axes: Axes) -> list[str]:
    """What is written into the axes or beside them."""
    return [text.get_text() for text in axes.texts]


def course(line: Line2D) -> NDArray[np.float64]:
    """The points of a line, `[point, (x, y)]`."""
    return np.asarray(line.get_xydata(), dtype=np.float64)
