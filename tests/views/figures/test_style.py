"""The settings of a drawing: ours inside, the user's own afterwards."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import matplotlib
import numpy as np
import pytest

from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.picture import as_svg
from pellucid.views.figures.sizes import PAGE, SLIDE
from pellucid.views.figures.style import points, style
from pellucid.views.figures.theme import DARK, LIGHT
from pellucid.views.scene import Curve, Series
from tests.views.figures.looks import difference, pixels

CURVE = Curve("Loss $x$", (Series("a", np.array([3.0, 2.0, 1.0])),), "step", "nats")
THEIRS: dict[Any, Any] = {
    "font.size": 31.0,
    "font.family": ["serif"],
    "axes.grid": True,
    "axes.facecolor": "#ff0000",
    "lines.linewidth": 9.0,
    "text.color": "#00ff00",
    "xtick.labelsize": 30.0,
    "text.parse_math": True,
    "savefig.facecolor": "#0000ff",
    "savefig.bbox": "tight",
    "savefig.transparent": True,
}


def test_settings_are_back_afterwards_whatever_happens():
    before = dict(matplotlib.rcParams)
    with style(DARK, SLIDE):
        assert matplotlib.rcParams["axes.facecolor"] == DARK.paper
        assert points() == SLIDE.text
        assert points("small") < points() < points("title")
    with pytest.raises(RuntimeError, match="inside"), style(LIGHT, PAGE):
        raise RuntimeError("inside")
    assert dict(matplotlib.rcParams) == before


def test_a_figure_looks_the_same_whatever_the_user_has_set():
    plain = pixels(draw_figure(CURVE))
    with matplotlib.rc_context(THEIRS):
        assert difference(plain, pixels(draw_figure(CURVE))) == ""
        assert matplotlib.rcParams["font.size"] == THEIRS["font.size"]


def test_threads_that_draw_at_once_draw_what_each_draws_alone_and_leave_the_settings():
    before = dict(matplotlib.rcParams)
    themes = ["light", "dark"] * 4
    alone = {theme: as_svg(draw_figure(CURVE, theme=theme)) for theme in ("light", "dark")}
    with ThreadPoolExecutor(len(themes)) as threads:
        drawn = list(threads.map(lambda theme: as_svg(draw_figure(CURVE, theme=theme)), themes))
    assert drawn == [alone[theme] for theme in themes]
    assert dict(matplotlib.rcParams) == before
