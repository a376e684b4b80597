"""How figures look: no words over each other or over an edge, and the picture that is known."""

from __future__ import annotations

import io
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from numpy.typing import NDArray
from PIL import Image

from pellucid.views.figures.style import DRAWN_WITH

BASELINES = Path(__file__).parents[2] / "data" / "figures"
RENEW = "PELLUCID_NEW_BASELINES"
"""With this in the environment, pictures are written instead of compared."""
DPI, BLOCK = 60, 4
"""Of baselines; and how many of their pixels are compared as one, so that letters may differ by
less than a pixel, as they do from one release of matplotlib to the next."""
MOST_APART, MOST_BLOCKS, VISIBLE = 3.0, 0.002, 40.0
"""Of 255: the root mean square difference, the share of blocks that differ visibly, and by how
much these do."""
TOUCHING = 0.75
"""Points that the boxes of two words may share without a letter being hidden."""


@dataclass(frozen=True)
class Written:
    """A line of text as it was drawn, and the box around its ink: left, bottom, right, top."""

    text: str
    box: tuple[float, float, float, float]


class Recorder(RendererAgg):
    """A renderer that remembers every line of text that it is asked to draw."""

    def __init__(self, figure: Figure) -> None:
        across, down = figure.bbox.size
        super().__init__(int(np.ceil(across)), int(np.ceil(down)), figure.dpi)
        self.written: list[Written] = []

    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        across, high, below = self.get_text_width_height_descent(s, prop, ismath)
        corners = np.array(
            [(0, -below), (across, -below), (across, high - below), (0, high - below)]
        )
        turn = np.deg2rad(angle)
        turned = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        placed = turned + np.array([x, self.height - y])
        (left, bottom), (right, top) = placed.min(axis=0), placed.max(axis=0)
        self.written.append(Written(s, (left, bottom, right, top)))


def written(figure: Figure) -> list[Written]:
    """Every line of text on the figure that is drawn and has ink."""
    with matplotlib.rc_context(DRAWN_WITH):
        recorder = Recorder(figure)
        figure.draw(recorder)
    return [line for line in recorder.written if line.text.strip()]


def assert_nothing_overlaps(figure: Figure) -> None:
    """No line of text lies over another."""
    lines = written(figure)
    left, bottom, right, top = np.array([line.box for line in lines]).reshape(-1, 4).T
    across = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    down = np.minimum(top[:, None], top) - np.maximum(bottom[:, None], bottom)
    shared = TOUCHING * figure.dpi / 72
    pairs = np.argwhere(np.triu((across > shared) & (down > shared), 1))
    over = [(lines[one].text, lines[other].text) for one, other in pairs.tolist()]
    assert not over, f"{len(over)} pairs of words lie over each other: {over[:5]}"


def assert_nothing_cut(figure: Figure) -> None:
    """No line of text, and nothing else that belongs to axes, goes beyond the figure."""
    across, down = figure.bbox.size
    things = [(line.text, line.box) for line in written(figure)]
    with matplotlib.rc_context(DRAWN_WITH):
        for axes in figure.axes:
            box = axes.get_tightbbox()
            if axes.get_visible() and box is not None:
                things.append((f"axes {axes.get_title(loc='left')!r}", box.extents))
    cut = [
        name
        for name, (left, bottom, right, top) in things
        if left < -0.5 or bottom < -0.5 or right > across + 0.5 or top > down + 0.5
    ]
    assert not cut, f"cut off at the edge of the figure: {cut[:5]}"


def numbers_of(axes: Axes) -> np.ma.MaskedArray[Any, Any]:
    """The numbers that the cells of a matrix stand for, `[row, column]`; masked where none does."""
    drawn = [*axes.images, *(mesh for mesh in axes.collections if isinstance(mesh, QuadMesh))]
    (cells,) = drawn
    values: np.ma.MaskedArray[Any, Any] = np.ma.asarray(cells.get_array())
    return values


def assert_looks_like(figure: Figure, name: str) -> None:
    """The figure looks as `tests/data/figures/NAME.png` does, but for the edges of letters."""
    path, now = BASELINES / f"{name}.png", pixels(figure)
    renew = bool(os.environ.get(RENEW))
    assert renew or path.exists(), f"there is no {path.name}; make it with {RENEW}=1, and look"
    reason = (
        difference(np.asarray(Image.open(path).convert("RGB")), now) if path.exists() else "new"
    )
    if not reason:
        return
    if not renew:
        path = Path(tempfile.gettempdir()) / f"pellucid-{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(now).quantize(128).save(path, optimize=True)
    assert renew, f"{name} looks different: {reason}; now: {path}"


def difference(known: NDArray[np.uint8], now: NDArray[np.uint8]) -> str:
    """In what two pictures differ visibly, if they do. A line of pixels more or less is nothing."""
    (before, wide), (after, wider) = known.shape[:2], now.shape[:2]
    if max(abs(before - after), abs(wide - wider)) > 1:
        return f"its size is {wider} × {after}, not {wide} × {before}"
    down, across = min(before, after), min(wide, wider)
    apart = np.abs(blocks(known[:down, :across]) - blocks(now[:down, :across]))
    most = float(np.sqrt((apart**2).mean()))
    visible = float((apart.max(axis=-1) > VISIBLE).mean())
    if most > MOST_APART or visible > MOST_BLOCKS:
        return f"by {most:.1f} of 255, visibly in {visible:.1%} of it"
    return ""


def blocks(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Means of blocks of pixels."""
    down, across = (size // BLOCK for size in image.shape[:2])
    whole = image[: down * BLOCK, : across * BLOCK].astype(np.float64)
    return whole.reshape(down, BLOCK, across, BLOCK, 3).mean(axis=(1, 3))


def pixels(figure: Figure) -> NDArray[np.uint8]:
    """The figure as it is saved, `[row, column, colour]`."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI)
    return np.asarray(Image.open(file).convert("RGB"))
