"""Which rows and columns of something large are shown, and the words that say what is not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """Indices of one side in order: a beginning and an end of it, or all of it."""

    size: int
    first: int
    last: int = 0

    @classmethod
    def of(cls, size: int, room: int) -> Selection:
        """Show everything where there is room; otherwise mostly the beginning, and some of the end.

        The gap takes one place of the room.
        """
        if size <= room:
            return cls(size, size)
        last = max(min(room - 2, room // 4), 0)
        return cls(size, max(room - 1 - last, 1), last)

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.first + self.last >= self.size

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices shown, in order."""
        return (*range(self.first), *range(self.size - self.last, self.size))

    def words(self, noun: str) -> str:
        """For example "9 of 768 columns (0–6, 766–767)"."""
        spans = [_span(0, self.first)]
        if self.last:
            spans.append(_span(self.size - self.last, self.size))
        return f"{self.first + self.last:,} of {self.size:,} {noun} ({', '.join(spans)})"


def _span(start: int, stop: int) -> str:
    return f"{start}–{stop - 1}" if stop - start > 1 else f"{start}"
