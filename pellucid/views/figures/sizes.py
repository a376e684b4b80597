"""How large a figure is, and its type: on a page, on a slide, in a column of a paper."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.errors import PellucidError, did_you_mean

POINTS = 72.0
"""Points in an inch."""


@dataclass(frozen=True)
class Size:
    """`width` in inches at the most, `text` in points; with a `height`, in inches, always both."""

    name: str
    width: float
    text: float
    height: float | None = None


PAGE = Size("page", width=7.0, text=9.0)
SLIDE = Size("slide", width=40 / 3, text=18.0, height=7.5)
PAPER = Size("paper", width=3.4, text=7.0)
SIZES = {"page": PAGE, "slide": SLIDE, "paper": PAPER}


def size(which: str | Size) -> Size:
    """The size of that name, or the one given.

    Raises:
        PellucidError: there is none of that name.
    """
    if isinstance(which, Size):
        return which
    if which not in SIZES:
        known = did_you_mean(which, SIZES) or " Choose page, slide or paper."
        raise PellucidError(f"There is no size {which!r}.{known}")
    return SIZES[which]
