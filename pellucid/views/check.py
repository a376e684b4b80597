"""What a check of a trace found, as something to look at."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.ops.figures import figure
from pellucid.trace.check import Check
from pellucid.trace.finding import Finding
from pellucid.views.scene import Block, Heading, Table

SHOWN = 12
"""How many findings that do not hold are listed."""


def check_blocks(check: Check) -> tuple[Block, ...]:
    """Each kind of check with how close it came to what is allowed, then what does not hold."""
    kinds = list(dict.fromkeys(finding.check for finding in check.findings))
    by_kind = {kind: [f for f in check.findings if f.check == kind] for kind in kinds}
    blocks: list[Block] = [
        Heading(verdict(check), level=2),
        Table(
            None,
            ("check", "tensors", "cells", "worst", "at"),
            tuple(row(kind, findings) for kind, findings in by_kind.items()),
            align=("left", "right", "right", "decimal", "left"),
            note="Worst: the largest error, as a part of what rounding allows.",
        ),
    ]
    wrong = [finding for finding in check.findings if not finding.holds]
    if wrong:
        blocks.append(wrong_table(wrong))
    return tuple(blocks)


def verdict(check: Check) -> str:
    """The outcome in a sentence; where something is wrong, the first tensor that is."""
    if check.first is None:
        tensors = len({finding.tensor for finding in check.findings})
        return f"Every check holds, on {tensors:,} tensors"
    where = f"[{check.first.where}]" if check.first.where else ""
    return f"The first that fails: {check.first.tensor}{where}, {check.first.check}"


def row(kind: str, findings: Sequence[Finding]) -> tuple[str, int, int, str, str]:
    """One kind of check: on how many tensors and cells, and where it came closest to failing."""
    worst = max(findings, key=lambda finding: finding.worst)
    cells = sum(finding.cells for finding in findings)
    return kind, len(findings), cells, figure(worst.worst), worst.tensor


def wrong_table(wrong: Sequence[Finding]) -> Table:
    """What does not hold, in the order of the graph."""
    left = len(wrong) - SHOWN
    return Table(
        "What does not hold",
        ("tensor", "cell", "check", "worst"),
        tuple((f.tensor, f.where, f.check, figure(f.worst)) for f in wrong[:SHOWN]),
        align=("left", "left", "left", "decimal"),
        note=f"{left} more." if left > 0 else None,
    )
