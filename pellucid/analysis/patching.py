"""Patching: how far each place of a clean run brings the clean answer back. It never changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pellucid.analysis.contrast import Contrast
from pellucid.analysis.found import Found
from pellucid.analysis.places import TOKENS, Places
from pellucid.ops.operation import Array
from pellucid.trace.explanation import spell

if TYPE_CHECKING:
    from pandas import DataFrame

    from pellucid.analysis.agreement import Agreement

Method = Literal["runs", "gradient"]
"""Each place measured by a run of its own, or all estimated from one gradient."""


@dataclass(frozen=True, slots=True)
class Restored:
    """One place: a tensor and an index along the columns' dim, None for all of them.

    `value` is the share of the difference that it restores, `difference` what the answer is ahead
    by, in logits.
    """

    name: str
    layer: int | None
    column: int | None
    label: str
    value: float
    difference: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Patching(Found):
    """What each place restores, of a clean run put into a corrupted one.

    Attributes:
        contrast: the prompts and the answers.
        places: the grid.
        method: "runs" where each place was measured, "gradient" where it was estimated.
        clean: by how many logits the answer is ahead of the other in the clean run, at the last
            position.
        corrupted: the same in the corrupted run.
        differences: `[row, column]`: the same with the place restored, float64.
    """

    contrast: Contrast
    places: Places
    method: Method
    clean: float
    corrupted: float
    differences: Array

    @property
    def values(self) -> Array:
        """`[row, column]`: 0 where the answer is as far ahead as in the corrupted run, 1 as in the
        clean one. Below 0 a place speaks against the clean answer; above 1 others speak against it.
        """
        shares: Array = (self.differences - self.corrupted) / (self.clean - self.corrupted)
        return shares

    @property
    def column_labels(self) -> tuple[str, ...]:
        """What each column is called: a head by its number, a position by its tokens."""
        return tuple(map(self.label_of, self.places.columns))

    def label_of(self, column: int | None) -> str:
        """What one column is called."""
        if column is None:
            return "all"
        return self.contrast.both_tokens[column] if self.places.dim in TOKENS else str(column)

    def top(self, n: int | None = 10) -> tuple[Restored, ...]:
        """The places that move the difference most, whichever way; all of them for None."""
        values, labels = self.values, self.column_labels
        order = np.argsort(-np.abs(values), axis=None, kind="stable")[:n]
        found = []
        for row, column in zip(*np.unravel_index(order, values.shape), strict=True):
            tensor = self.places.rows[row]
            place = Restored(
                name=tensor.label,
                layer=tensor.layer,
                column=self.places.columns[column],
                label=labels[column],
                value=float(values[row, column]),
                difference=float(self.differences[row, column]),
            )
            found.append(place)
        return tuple(found)

    def agreement(self, other: Patching) -> Agreement:
        """How well another patching of the same places agrees: an estimate with what was measured.

        Raises:
            PellucidError: it is of other prompts, answers or places.
        """
        from pellucid.analysis.agreement import agree

        return agree(self, other)

    def to_pandas(self) -> DataFrame:
        """`values` as a table of pandas: a row for each tensor, a column for each head or position.

        Raises:
            PellucidError: pandas is not installed.
        """
        from pellucid.trace.labelled import needed

        pandas = needed("pandas")
        rows = pandas.Index([row.label for row in self.places.rows], name="tensor")
        names = ["all" if column is None else column for column in self.places.columns]
        columns = pandas.Index(names, name=self.places.dim)
        frame: DataFrame = pandas.DataFrame(self.values, index=rows, columns=columns)
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, infinities and NaN spelled as words."""
        contrast, places = self.contrast, self.places
        return {
            "method": self.method,
            "clean": {"ids": contrast.clean, "tokens": contrast.clean_tokens},
            "corrupted": {"ids": contrast.corrupted, "tokens": contrast.corrupted_tokens},
            "answer": {"id": contrast.answer, "token": contrast.answer_tokens[0]},
            "instead": {"id": contrast.instead, "token": contrast.answer_tokens[1]},
            "clean_difference": spell(self.clean),
            "corrupted_difference": spell(self.corrupted),
            "places": places.kind,
            "rows": [row.label for row in places.rows],
            "dim": places.dim,
            "columns": places.columns,
            "labels": self.column_labels,
            "positions": places.positions,
            "values": [[spell(value) for value in row] for row in self.values.tolist()],
            "differences": [[spell(value) for value in row] for row in self.differences.tolist()],
        }
