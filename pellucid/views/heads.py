"""What heads look at, as something to look at."""

from __future__ import annotations

from pellucid.analysis.head_summary import HeadSummary
from pellucid.views.catalogue.head_shares import clearest, head_shares
from pellucid.views.scene import Block, Heading


def heads_blocks(summary: HeadSummary, *, whole: bool = False) -> tuple[Block, ...]:
    """The clearest heads of each kind; the `whole` has the shares of every head too."""
    blocks = head_shares(summary) if whole else (clearest(summary),)
    return (Heading("What heads look at", level=2), *blocks)
