"""The sheet that HTML is drawn for: how much of a table it shows, and what its links can reach."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Sheet:
    """How a drawing stands in the document around it.

    `rows` and `columns` are the most of a matrix or table that are shown; the rest is counted in a
    note. A matrix wider than `across` characters goes on below. `outline` is the level of the
    highest heading; without it, as in the output of a notebook, headings are no part of the
    document's outline. `anchors` are the tensors that links can reach.
    """

    rows: int = 48
    columns: int = 48
    across: int | None = None
    outline: int | None = None
    anchors: frozenset[str] = frozenset()

    def shared(self, blocks: int) -> Sheet:
        """What each of so many blocks has that stand side by side."""
        if blocks < 2:
            return self
        return replace(self, rows=max(self.rows // 2, 8), columns=max(self.columns // 2, 8))


def anchor(name: str) -> str:
    """The id of a tensor's place on a page."""
    return f"tensor-{name}"
