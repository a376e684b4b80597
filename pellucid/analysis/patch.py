"""`pellucid.patch`: put a clean run into a corrupted one, one place at a time, and measure.

Activation patching, as in Meng et al., "Locating and Editing Factual Associations in GPT" (2022),
and Wang et al., "Interpretability in the Wild" (2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.analysis.contrast import Contrast
from pellucid.analysis.patching import Patching
from pellucid.analysis.places import Places, Positions, Row, find_places
from pellucid.analysis.read_contrast import Prompt, read_contrast
from pellucid.analysis.restart import last_logits, read_beside
from pellucid.engine.engine import Engine
from pellucid.engine.run import Run
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.ops.operation import Array

Progress = Callable[[int, int], None]
"""Is told how many places are done, and of how many."""

MOST_POSITIONS = 1024
"""Of all texts of a batch together: more fill memory and save no time."""


def patch(
    model: Model,
    clean: Prompt,
    corrupted: Prompt,
    *,
    answer: Sequence[str | int],
    places: str = "stream",
    positions: Positions = None,
    together: bool = False,
    on_progress: Progress | None = None,
) -> Patching:
    """Restore one place at a time: run the corrupted prompt with that of the clean run in it.

    What is measured is by how many logits the one answer is ahead of the other at the last
    position. Each run starts from the tensor that is restored, as nothing before it changes.

    Args:
        model: what runs.
        clean: a prompt, or ids.
        corrupted: another of as many tokens.
        answer: two tokens, by text or id: what the clean prompt speaks for, and what to hold it
            against.
        places: "stream" (what enters each block, position by position), "attention" or "mlp" (what
            each adds to the stream, likewise), "heads" (what each head gathers, at all
            `positions`); or a tensor: "attn.q" in every block, "blocks.3.attn.pattern" in one.
        positions: the positions to look at, by index or token of the clean prompt; all unless
            given.
        together: whether to restore all positions of a layer at once, or all of its heads.
        on_progress: is called with the number of places done and that of all.

    Raises:
        PellucidError: a prompt cannot be read, the two differ in length, an answer is not one
            token, there are no such places, or both runs say the same.
    """
    contrast = read_contrast(model, clean, corrupted, answer)
    grid = find_places(model.graph, places, contrast, positions=positions, together=together)
    both = Both.run(model.engine, contrast, grid)
    found = np.full((len(grid.rows), len(grid.columns)), both.corrupted)
    done = 0
    for row, columns in batches(grid, len(contrast.clean)):
        found[row, columns] = both.restored(grid.rows[row], columns)
        done += len(columns)
        if on_progress is not None:
            on_progress(done, found.size)
    return Patching(contrast, grid, "runs", both.clean, both.corrupted, found)


def batches(grid: Places, length: int) -> Iterator[tuple[int, Array]]:
    """The places that one run can do: a row, and some of its columns."""
    size = max(1, MOST_POSITIONS // length)
    for row in range(len(grid.rows)):
        for start in range(0, len(grid.columns), size):
            yield row, np.arange(start, min(start + size, len(grid.columns)))


@dataclass(frozen=True, slots=True)
class Both:
    """The clean and the corrupted run: the tensors of the grid, and what is read beside them.

    `clean` and `corrupted` are the differences in logits that they end with.
    """

    engine: Engine
    contrast: Contrast
    grid: Places
    values: Run
    clean: float
    corrupted: float

    @classmethod
    def run(cls, engine: Engine, contrast: Contrast, grid: Places) -> Both:
        """Run both prompts side by side.

        Raises:
            PellucidError: both end with the same difference.
        """
        names = [row.name for row in grid.rows]
        beside = [each for name in names for each in read_beside(engine.graph, name)]
        values = engine.forward({"ids": contrast.ids}, keep={*names, *beside})
        clean, corrupted = contrast.difference(values["logits"][:, -1]).tolist()
        if not abs(clean - corrupted) > 0:
            first, second = contrast.answer_tokens
            raise PellucidError(
                f"{first} is ahead of {second} by {clean:.4g} logits after both prompts: there is "
                f"nothing to restore. Take other answers."
            )
        return cls(engine, contrast, grid, values, clean, corrupted)

    def restored(self, row: Row, columns: Array) -> Array:
        """The differences with one place restored each, `[column]`."""
        clean, corrupted = self.values[row.name]
        tensors = np.repeat(corrupted[None], len(columns), axis=0)
        changes = np.zeros(len(columns), dtype=bool)
        for text, column in enumerate(columns):
            at = self.grid.at(row, self.grid.columns[column])
            changes[text] = not np.array_equal(clean[at], corrupted[at])
            tensors[text][at] = clean[at]
        found = np.full(len(columns), self.corrupted)
        # Where both runs agree, as before the first token that differs, there is nothing to run.
        if changes.any():
            found[changes] = self.differences(row, tensors[changes])
        return found

    def differences(self, row: Row, tensors: Array) -> Array:
        """How far the answer is ahead in runs from these tensors on, `[batch]`."""
        beside = read_beside(self.engine.graph, row.name)
        others = {name: np.repeat(self.values[name][1:], len(tensors), axis=0) for name in beside}
        logits = last_logits(self.engine, self.contrast.corrupted, {row.name: tensors, **others})
        return self.contrast.difference(logits)
