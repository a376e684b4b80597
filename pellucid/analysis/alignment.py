"""Two texts laid beside each other, token by token: by their ids, never by text decoded again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the alignment: the position that stands there in either text, None for a gap."""

    a: int | None
    b: int | None
    same: bool
    """Whether both texts have the same token here."""


def align(a: Sequence[int], b: Sequence[int]) -> tuple[Slot, ...]:
    """Lay two texts of ids beside each other.

    Stretches that both have stand side by side, the longest first, then those before and after it
    (Ratcliff and Metzener, 1988). Where one text has another stretch than the other, its tokens are
    paired from the end, as what follows a name of several tokens reads its last one most; of the
    longer stretch the first tokens stand alone.
    """
    found: list[Slot] = []
    # Unless told not to, difflib passes over tokens that are frequent in a long text.
    for tag, *ends in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        found += stretch(*ends, same=tag == "equal")
    return tuple(found)


def stretch(a: int, a_end: int, b: int, b_end: int, *, same: bool) -> Iterator[Slot]:
    """The places of one stretch of `a` beside one of `b`, either of which may be empty."""
    length = max(a_end - a, b_end - b)
    for left in range(length, 0, -1):
        ours, theirs = a_end - left, b_end - left
        yield Slot(ours if ours >= a else None, theirs if theirs >= b else None, same)
