"""`pellucid.attribution_patching`: what patching would find, estimated from one gradient.

To first order, what a place restores is how far the clean run's numbers are from the corrupted
run's there, times the slope of the answer's lead by each of them (Nanda, "Attribution Patching",
2023; Syed et al., "Attribution Patching Outperforms Automated Circuit Discovery", 2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pellucid.analysis.contrast import Contrast
from pellucid.analysis.patch import Both
from pellucid.analysis.patching import Patching
from pellucid.analysis.places import Positions, Row, find_places
from pellucid.analysis.read_contrast import Prompt, read_contrast
from pellucid.engine.engine import Engine
from pellucid.engine.plan import Keep
from pellucid.model.model import Model
from pellucid.ops.loss import NO_TARGET
from pellucid.ops.operation import Array


def attribution_patching(
    model: Model,
    clean: Prompt,
    corrupted: Prompt,
    *,
    answer: Sequence[str | int],
    places: str = "stream",
    positions: Positions = None,
    together: bool = False,
) -> Patching:
    """Estimate `pellucid.patch` for all places at once, from the gradient of the corrupted run.

    `patch(…).agreement(attribution_patching(…))` says how well they agree. What bends between a
    place and the logits (softmax, norms, activations) bends the truth away from the estimate.

    Args:
        model, clean, corrupted, answer, places, positions, together: as in `pellucid.patch`.

    Raises:
        PellucidError: as `pellucid.patch`.
    """
    contrast = read_contrast(model, clean, corrupted, answer)
    grid = find_places(model.graph, places, contrast, positions=positions, together=together)
    both = Both.run(model.engine, contrast, grid)
    slopes = slopes_of_difference(model.engine, contrast, [row.name for row in grid.rows])
    found = np.empty((len(grid.rows), len(grid.columns)))
    for number, row in enumerate(grid.rows):
        moved = first_order(both, row, slopes[row.name])
        found[number] = [moved[grid.at(row, column)].sum() for column in grid.columns]
    return Patching(contrast, grid, "gradient", both.clean, both.corrupted, both.corrupted + found)


def first_order(both: Both, row: Row, slope: Array) -> Array:
    """What each number of a tensor would move the difference by, `[*dims]`, float64."""
    clean, corrupted = both.values[row.name].astype(np.float64)
    # Equal infinities differ by 0, as equal numbers do.
    moved: Array = np.subtract(clean, corrupted, out=np.zeros_like(clean), where=clean != corrupted)
    return moved * slope


def slopes_of_difference(
    engine: Engine, contrast: Contrast, names: Sequence[str]
) -> Mapping[str, Array]:
    """Derivatives of the difference in logits after the corrupted prompt by these, `[*dims]`.

    The loss is −log of a probability, and log p(a) − log p(b) is the difference of the two logits:
    so it is the loss for b less the loss for a, both in one batch, whose loss is their mean.
    """
    ids = np.array([contrast.corrupted, contrast.corrupted], dtype=np.int64)
    targets = np.full_like(ids, NO_TARGET)
    targets[:, -1] = contrast.instead, contrast.answer
    run = engine.forward(
        {"ids": ids, "targets": targets}, keep={Keep.BACKWARD, *names}, outputs=("loss",)
    )
    found = engine.backward(run, keep_nodes=names).nodes
    return {name: 2 * (found[name][0].astype(np.float64) - found[name][1]) for name in names}
