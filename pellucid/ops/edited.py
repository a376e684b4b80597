"""What the operations that edits become have in common: their cells, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.ops.cells import Cells
from pellucid.ops.evidence import as_text
from pellucid.ops.figures import figure
from pellucid.ops.operation import Dims, Operation, Sizes, count


class Edited(Operation):
    """An edit of some cells of a tensor; everything else is handed on."""

    cells: Cells
    words: str
    """What the edit does, in words."""
    place: str
    """Where it does it, as it is typed."""

    @property
    def said(self) -> str:
        """What the edit does, and where."""
        return f"{self.words} at {self.place}" if self.place else self.words

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{inputs[0]}, edited: {self.said}"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"{inputs[0]}{as_text(f', edited: {self.said}')}"

    def said_of(self, before: float, now: float) -> str:
        """What became of one of the chosen cells."""
        return f"edited here: was {figure(before)}, {self.words} made it {figure(now)}"

    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        return 2 * count(inputs[0], sizes)
