"""HeadSummary: which heads look where a kind of head would, and how much. It never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.analysis.found import Found
from pellucid.analysis.head_kinds import KINDS
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Array
from pellucid.trace.edits import Edit
from pellucid.trace.explanation import spell


@dataclass(frozen=True, slots=True)
class NamedHead:
    """A head, the kind that it is of, and the share of its attention that says so."""

    kind: str
    block: int
    head: int
    share: float

    @property
    def name(self) -> str:
        """As paths name it: `blocks.1 head 3`."""
        return f"blocks.{self.block} head {self.head}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeadSummary(Found):
    """What every head of a model looked at in a text.

    Attributes:
        shares: for each kind `[block, head]`: the mean share of its attention that a head gave to
            where such a head would look, over all queries that have such a place; NaN where none.
        by_chance: the same for a head that looks at all it can see alike.
        ids: what was read, `[text, position]`.
        text: what that is, in words.
        tokens: how the first of the texts reads.
        threshold: a head is named for a kind from this share on.
        edits: what was changed in the runs.
    """

    shares: Mapping[str, Array]
    by_chance: Mapping[str, float]
    ids: Array
    text: str
    tokens: tuple[str, ...]
    threshold: float
    edits: tuple[Edit, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that were looked for."""
        return tuple(self.shares)

    @property
    def named(self) -> tuple[NamedHead, ...]:
        """Every head that is of some kind: kind by kind, the clearest first."""
        every = (head for kind in self.kinds for head in self.best(kind, top=None))
        return tuple(head for head in every if head.share >= self.threshold)

    def best(self, kind: str, *, top: int | None = 5) -> tuple[NamedHead, ...]:
        """The heads that look most where such a head would, named or not.

        Args:
            kind: "previous token", "first token", "duplicate token" or "induction".
            top: how many; None for all.

        Raises:
            PellucidError: there is no such kind.
        """
        if kind not in self.shares:
            near = did_you_mean(kind, self.shares) or f" There are {', '.join(self.shares)}."
            raise PellucidError(f'There is no kind "{kind}".{near}')
        shares = self.shares[kind]
        order = np.argsort(-shares, axis=None, kind="stable")[:top]
        places = zip(*np.unravel_index(order, shares.shape), strict=True)
        return tuple(
            NamedHead(kind, int(block), int(head), float(shares[block, head]))
            for block, head in places
        )

    def kinds_of(self, block: int, head: int) -> tuple[str, ...]:
        """What one head is, the clearest first; nothing where it is of no kind.

        Raises:
            PellucidError: there is no such head.
        """
        blocks, heads = next(iter(self.shares.values())).shape
        if not (0 <= block < blocks and 0 <= head < heads):
            raise PellucidError(
                f"There is no head {head} in block {block}: there are {blocks} blocks of "
                f"{heads} heads, both counted from 0."
            )
        here = [each for each in self.named if (each.block, each.head) == (block, head)]
        return tuple(each.kind for each in sorted(here, key=lambda each: -each.share))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, NaN spelled as a word."""
        return {
            "text": self.text,
            "ids": self.ids.tolist(),
            "threshold": self.threshold,
            "edits": [str(edit) for edit in self.edits],
            "kinds": {
                kind: {
                    "looks_at": KINDS[kind].says,
                    "by_chance": spell(self.by_chance[kind]),
                    "shares": [[spell(share) for share in row] for row in shares.tolist()],
                }
                for kind, shares in self.shares.items()
            },
            "named": [
                {"kind": each.kind, "block": each.block, "head": each.head, "share": each.share}
                for each in self.named
            ],
        }
