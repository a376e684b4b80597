"""Tree: numbers that lead to numbers, each with its name and a word about how it was made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Branch:
    """One number of a tree: its name, its value, its formula, and the numbers that it leads to.

    `more` says what is not shown below it.
    """

    name: str
    value: float
    formula: str
    branches: tuple[Branch, ...] = ()
    more: str = ""


@dataclass(frozen=True)
class Tree:
    """A branch and all below it."""

    title: str | None
    root: Branch
    note: str | None = None
