"""A canvas of dots, two by four to a character, in the braille patterns of Unicode (U+2800)."""

from __future__ import annotations

import numpy as np

# The bit of each dot in its character, by row from the top and column.
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


class Canvas:
    """Dots `[row, column]` from the top left, four rows and two columns to a character."""

    def __init__(self, width: int, height: int) -> None:
        self.dots = np.zeros((height * 4, width * 2), dtype=bool)

    def join(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Set the dots of the straight line between two (column, row) points, without a gap."""
        (left, first), (right, last) = sorted((start, end))
        if left == right:
            self.dots[min(first, last) : max(first, last) + 1, left] = True
            return
        edges = np.linspace(first, last, 2 * (right - left) + 1)
        for column in range(left, right + 1):
            near = edges[max(2 * (column - left) - 1, 0) : 2 * (column - left) + 2]
            low, high = round(float(near.min())), round(float(near.max()))
            self.dots[low : high + 1, column] = True

    def marked(self, row: int, column: int) -> bool:
        """Whether the character at `row`, `column` has a dot."""
        return bool(self.dots[row * 4 : row * 4 + 4, column * 2 : column * 2 + 2].any())

    def rows(self, *, unicode: bool = True) -> list[str]:
        """The characters of each row, blank where no dot is set; stars where braille cannot be."""
        height, width = self.dots.shape
        cells = self.dots.reshape(height // 4, 4, width // 2, 2)
        codes = (cells * _BITS[:, None, :]).sum(axis=(1, 3)).tolist()
        return [
            "".join((chr(0x2800 + code) if unicode else "*") if code else " " for code in row)
            for row in codes
        ]
