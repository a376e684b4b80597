"""Rows and columns: the stream runs straight down the first column, what leaves it stands beside.

Every box has one main input (`Box.main`). Followed backwards from the last box, main inputs are the
spine. What is left falls into chains in the same way: each goes straight down a column of its own,
from where it leaves to where it joins another. A chain that joins sooner stands nearer, so that no
line crosses another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pellucid.views.diagram.structure import Box, Structure

LAST = "probs"
"""The box that everything leads to."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a box stands, counted from the upper left."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Boxes that follow one another by their main inputs.

    It takes its column from the row `top` to the row `bottom`, in which it joins what it leads to.
    """

    boxes: tuple[str, ...]
    top: int
    bottom: int
    beside: str | None
    """A box of the chain that this one stands beside; None for the spine."""


@dataclass(frozen=True)
class Grid:
    """Where each box stands.

    `taken` are the places with a box, or with a line that goes down through them.
    """

    structure: Structure
    places: Mapping[str, Place]
    chains: tuple[Chain, ...]
    taken: frozenset[Place]

    @cached_property
    def rows(self) -> int:
        return 1 + max(place.row for place in self.places.values())

    @cached_property
    def columns(self) -> int:
        return 1 + max(place.column for place in self.places.values())

    @cached_property
    def boxes_in_row(self) -> tuple[tuple[Box, ...], ...]:
        """The boxes of each row, from left to right."""
        found: list[list[Box]] = [[] for _ in range(self.rows)]
        for box in sorted(self.structure.boxes, key=lambda box: self.places[box.name].column):
            found[self.places[box.name].row].append(box)
        return tuple(map(tuple, found))

    def straight(self, source: str, target: str) -> bool:
        """Whether a line goes straight down from one box into the next of its chain."""
        return self.structure.by_name[target].main == source and (
            self.places[source].column == self.places[target].column
        )


def lay_out(structure: Structure) -> Grid:
    """Give every box a row and a column."""
    rows = find_rows(structure)
    chains = find_chains(structure, rows)
    columns: dict[str, int] = {}
    taken: set[Place] = set()
    # Shortest first: of two chains side by side, the inner one gets the nearer column.
    waiting = sorted(chains, key=lambda chain: (chain.beside is not None, chain.bottom - chain.top))
    while waiting:
        chain = next(each for each in waiting if each.beside is None or each.beside in columns)
        waiting.remove(chain)
        column = 0 if chain.beside is None else columns[chain.beside] + 1
        span = range(chain.top, chain.bottom + 1)
        while any(Place(row, column) in taken for row in span):
            column += 1
        taken |= {Place(row, column) for row in span}
        columns |= dict.fromkeys(chain.boxes, column)
    places = {box.name: Place(rows[box.name], columns[box.name]) for box in structure.boxes}
    return Grid(structure, places, chains, frozenset(taken))


def find_rows(structure: Structure) -> dict[str, int]:
    """The row of each box: one below the lowest that it reads."""
    rows: dict[str, int] = {}
    sources: dict[str, list[str]] = {box.name: [] for box in structure.boxes}
    for line in structure.lines:
        sources[line.target].append(line.source)
    # Boxes come in the order in which their last steps run, so all that one reads is known.
    for box in structure.boxes:
        rows[box.name] = 1 + max((rows[name] for name in sources[box.name]), default=-1)
    return rows


def spine(structure: Structure) -> frozenset[str]:
    """The boxes that main inputs lead back to from the last."""
    names, main = {LAST}, structure.by_name[LAST].main
    while main is not None:
        names.add(main)
        main = structure.by_name[main].main
    return frozenset(names)


def find_chains(structure: Structure, rows: Mapping[str, int]) -> tuple[Chain, ...]:
    """The spine, then every other chain."""
    readers: dict[str, list[str]] = {box.name: [] for box in structure.boxes}
    for line in structure.lines:
        readers[line.source].append(line.target)
    done: set[str] = set()
    chains = []
    last = structure.by_name[LAST]
    # Of two halves of a block that read one norm, the first takes it into its chain.
    stream = spine(structure)
    onto_spine = [box for box in structure.boxes if stream & set(readers[box.name])]
    for box in (last, *onto_spine, *reversed(structure.boxes)):
        if box.name in done:
            continue
        boxes, main = [box.name], box.main
        while main is not None and main not in done:
            boxes.append(main)
            main = structure.by_name[main].main
        done.update(boxes)
        joins = [name for name in readers[box.name] if name in done]
        top = rows[boxes[-1]] if main is None else rows[main] + 1
        bottom = max((rows[name] for name in joins), default=rows[box.name])
        chains.append(Chain(tuple(reversed(boxes)), top, bottom, joins[0] if joins else main))
    return tuple(chains)
