"""How fast pairs turn: radians per position, which may depend on how long the text is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.ops.operation import Array
from pellucid.ops.rows import row


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Radians per position of each pair; other ones for texts of more than `original` positions.

    Those are `longer` where it is given. With `growth` they slow down as the text grows: the ends
    of the row are 1 and `1 / (growth · length / original - growth + 1)` times what they were, and
    what is between is so in proportion ("dynamic NTK").
    """

    each: tuple[float, ...]
    original: int = 0
    longer: tuple[float, ...] = ()
    growth: float = 0.0

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.each)

    @property
    def depend_on_length(self) -> bool:
        """Whether a text's length plays a part."""
        return bool(self.longer or self.growth)

    def at(self, lengths: Array | None = None) -> Array:
        """`[pair]`; where lengths `[batch]` play a part, `[batch, 1, pair]`."""
        each = row(self.each)
        if lengths is None:
            return each
        length = lengths[:, None, None]
        if self.longer:
            return np.where(length > self.original, row(self.longer), each)
        # At the original length and below, this is 1.
        stretch = self.growth * np.maximum(length / self.original, 1.0) - (self.growth - 1)
        slowed: Array = each * stretch ** (-np.arange(len(each)) / (len(each) - 1))
        return slowed

    def same(self, before: int, after: int) -> bool:
        """Whether texts of these two lengths turn alike."""
        if self.growth:
            return before == after or max(before, after) <= self.original
        return not self.longer or (before > self.original) == (after > self.original)
