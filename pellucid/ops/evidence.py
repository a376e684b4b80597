"""What one step read and wrote in one text, for its operation to explain. Arrays have no batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pellucid.ops.figures import figure
from pellucid.ops.operation import Array, Dims
from pellucid.ops.term import Derivation, Index, Operands, Place, Slope, Summand

ALL = slice(None)
LONGEST_TEXT = 4096
"""Up to so many labels it is quick to see whether one of them is there twice."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A tensor under its name, with the labels that stand along its dims."""

    name: str
    short: str
    """The name as it reads within the step's own block."""
    values: Array
    dims: Dims
    labels: Mapping[str, tuple[str, ...]]

    def at(self, role: str, *places: Place | slice) -> Operands:
        """The cells at these places, in one role; a slice stands for every place along its dim."""
        index = tuple(
            np.arange(size) if isinstance(place, slice) else place
            for place, size in zip(places, self.values.shape, strict=True)
        )
        return Operands(role, self.name, index, np.atleast_1d(self.values[index]))

    def say(self, *places: Place | slice) -> str:
        """How these cells read in a formula, `q[am]`; dims that a slice takes are left out."""
        shown = self.shown(places)
        return f"{self.short}[{', '.join(shown)}]" if shown else self.short

    def tex(self, *places: Place | slice) -> str:
        """The same in LaTeX."""
        shown = r",\,".join(as_text(word) for word in self.shown(places))
        name = as_name(self.short)
        return f"{name}_{{{shown}}}" if shown else name

    def shown(self, places: tuple[Place | slice, ...]) -> list[str]:
        """The places by their labels, or by their dims where it would not be clear which is meant.

        That is where other dims are left out, and the place is an index, or the label of a dim
        whose tokens also stand along an earlier one.
        """
        sized = [
            (dim, place)
            for dim, place, size in zip(self.dims, places, self.values.shape, strict=True)
            if size > 1 or len(self.dims) == 1
        ]
        named = [(dim, int(p)) for dim, p in sized if isinstance(p, int | np.integer)]
        whole = len(named) == len(sized)
        clear = next((dim for dim in self.dims if dim in self.labels), "")
        return [
            self.word(dim, place) if whole or dim == clear else f"{dim}={self.word(dim, place)}"
            for dim, place in named
        ]

    def one_at(self, place: int) -> str:
        """How a vector reads that is 1 at a place along the last dim and 0 elsewhere."""
        return f"[{self.dims[-1]} = {self.word(self.dims[-1], place)}]"

    def word(self, dim: str, place: int) -> str:
        return label_at(self.labels[dim], place) if dim in self.labels else str(place)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Looks up what a step read and wrote when it is asked for, and only then."""

    look: Callable[[str], Seen]
    """Gives a tensor or parameter by its name; an error where it was not kept."""
    output_name: str
    input_names: tuple[str, ...]
    parameter_names: tuple[str, ...]
    stem: str
    """What the names of its extras begin with."""

    def input(self, i: int) -> Seen:
        return self.look(self.input_names[i])

    def parameter(self, i: int) -> Seen:
        return self.look(self.parameter_names[i])

    def extra(self, name: str) -> Seen:
        return self.look(f"{self.stem}.{name}")

    @property
    def output(self) -> Seen:
        return self.look(self.output_name)


def unchanged(*index: Place) -> Slope:
    """The slope of a number that is handed on as it is, to these cells of the output."""
    cells = next((len(place) for place in index if isinstance(place, np.ndarray)), 1)
    return Slope(index, constants(1.0, cells), "1", "1")


def constants(number: float, cells: int = 1) -> Operands:
    """A local derivative that depends on no other number, for so many cells."""
    return Operands("local derivative", "", (), np.full(cells, number))


def worked_out(sources: tuple[Operands, ...], rule: Callable[..., Array]) -> Operands:
    """Local derivatives that are no tensor's cells: what `rule` makes of those of `sources`."""
    values = np.atleast_1d(rule(*(source.values.astype(np.float64) for source in sources)))
    return Operands("local derivative", "", (), values, sources, rule)


def copied(source: Seen, place: Index, word: str) -> Derivation:
    """How a number was made that is another's copy."""
    return Derivation(
        operands=(source.at("x", *place),),
        formula=f"{source.say(*place)}{word}",
        latex=source.tex(*place),
        substituted=figure(source.values[place]),
        summands=(Summand((0,)),),
    )


def label_at(labels: tuple[str, ...], place: int) -> str:
    """The label at a place; where a token stands more than once, with its place: `am@3`."""
    label = labels[place]
    # A vocabulary is long, and its words differ.
    repeated = len(labels) <= LONGEST_TEXT and labels.count(label) > 1
    return f"{label}@{place}" if repeated else label


def as_name(name: str) -> str:
    """A tensor's name in LaTeX."""
    return rf"\mathrm{{{escape(name)}}}"


def as_text(words: str) -> str:
    """Words in LaTeX, within a formula."""
    return rf"\text{{{escape(words)}}}"


def escape(text: str) -> str:
    """Text that LaTeX reads as it stands."""
    special = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
    return "".join(special.get(c, f"\\{c}" if c in "_%&#${}" else c) for c in text)
