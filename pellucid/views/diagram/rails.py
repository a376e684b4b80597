"""Lines made of box-drawing signs: pieces from cell to cell, joined wherever they meet."""

from __future__ import annotations

from dataclasses import dataclass, field

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
SIGNS = {
    **{UP: "│", DOWN: "│", UP | DOWN: "│", LEFT: "─", RIGHT: "─", LEFT | RIGHT: "─"},
    **{DOWN | RIGHT: "╭", DOWN | LEFT: "╮", UP | RIGHT: "╰", UP | LEFT: "╯"},
    **{UP | DOWN | RIGHT: "├", UP | DOWN | LEFT: "┤", LEFT | RIGHT | DOWN: "┬"},
    **{LEFT | RIGHT | UP: "┴", UP | DOWN | LEFT | RIGHT: "┼"},
}
PLAIN = str.maketrans("│─╭╮╰╯├┤┬┴┼●⊕", "|-..''||.'|*+")
"""For an output without these signs: one for one."""


@dataclass(frozen=True)
class Rails:
    """Pieces of lines by line and column, as bits; `marks` stand over them."""

    bits: dict[tuple[int, int], int] = field(default_factory=dict)
    marks: dict[tuple[int, int], str] = field(default_factory=dict)

    def down(self, x: int, first: int, last: int) -> None:
        """Straight down a column, from one line to another."""
        for line in range(first, last):
            self._add(line, x, DOWN)
            self._add(line + 1, x, UP)

    def across(self, line: int, first: int, last: int) -> None:
        """Straight along a line, from one column to another."""
        for x in range(first, last):
            self._add(line, x, RIGHT)
            self._add(line, x + 1, LEFT)

    def _add(self, line: int, x: int, bit: int) -> None:
        self.bits[line, x] = self.bits.get((line, x), 0) | bit

    def sign(self, line: int, x: int) -> str:
        """What is drawn in a cell."""
        return self.marks.get((line, x)) or SIGNS.get(self.bits.get((line, x), 0), " ")
