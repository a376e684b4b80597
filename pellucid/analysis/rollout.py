"""Attention rollout: how the attention of all blocks adds up to a look at the input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.analysis.found import Found
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.cell import Place, find_cell
from pellucid.trace.edits import Edit
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.trace import Trace

RESIDUAL = 0.5
"""The share that stays where it is: as the source takes it, half."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rollout(Found):
    """How much each position would hold of each token if blocks did nothing but attend.

    Attributes:
        values: `[block, query, key]`, float64: after each block; the rows sum to 1.
        tokens: of the text.
        residual: the share that each block leaves where it is.
        edits: what was changed in the run.
    """

    values: Array
    tokens: tuple[str, ...]
    residual: float
    edits: tuple[Edit, ...] = ()

    def after(self, block: int = -1) -> TracedTensor:
        """The shares after a block, `[query, key]`, labelled.

        Raises:
            PellucidError: there is no such block.
        """
        (index,) = find_cell(
            TracedTensor("the rollout", self.values[:, 0, 0], ("block",), {}, "", ""),
            {"block": block},
        )
        return TracedTensor(
            name=f"blocks.{index}.rollout",
            values=self.values[index],
            dims=("query", "key"),
            labels=dict.fromkeys(("query", "key"), self.tokens),
            title=f"Attention rollout after block {index}",
            equation="",
        )

    def shares(self, position: Place = -1, *, block: int = -1) -> tuple[tuple[str, float], ...]:
        """What one position holds of each token, in the order of the text.

        Raises:
            PellucidError: there is no such block or position.
        """
        after = self.after(block)
        (query, _) = find_cell(after, {"query": position, "key": 0})
        return tuple(zip(self.tokens, after.values[query].tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "residual": self.residual,
            "edits": [str(edit) for edit in self.edits],
            "tokens": list(self.tokens),
            "values": self.values.tolist(),
        }


def rollout(trace: Trace, *, residual: float = RESIDUAL) -> Rollout:
    """Roll the attention of a trace out over its blocks.

    With A the mean of a block's patterns over its heads, each block multiplies what the ones before
    it left by `residual · I + (1 − residual) · A`. That is attention alone: values, norms and the
    feed-forward networks play no part.

    Source: Abnar and Zuidema, "Quantifying Attention Flow in Transformers" (2020), section 3; its
    0.5 · A + 0.5 · I is residual=0.5.

    Args:
        trace: with the patterns of all blocks.
        residual: the share that stays where it is, from 0 to 1.

    Raises:
        PellucidError: the share is none, or a pattern was not kept.
    """
    if not 0 <= residual <= 1:
        raise PellucidError(f"residual={residual} is no share: give a number from 0 to 1.")
    so_far = np.eye(len(trace.ids))
    after = []
    for block in range(trace.config.n_layer):
        pattern = trace[f"blocks.{block}.attn.pattern"].values
        attended = pattern.mean(axis=0, dtype=np.float64) @ so_far
        so_far = residual * so_far + (1 - residual) * attended
        after.append(so_far)
    return Rollout(np.array(after), trace.tokens, residual, trace.edits)
