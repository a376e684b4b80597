"""Labels on a terminal, in exactly the columns that there are for them."""

from __future__ import annotations

from typing import Literal

from rich.cells import cell_len, set_cell_size


def fit(text: str, width: int, align: Literal["left", "right"] = "left") -> str:
    """Return `text` in exactly `width` columns: padded, or cut with `…` where it is longer."""
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…" if width else ""
    padding = " " * (width - cell_len(text))
    return padding + text if align == "right" else text + padding
