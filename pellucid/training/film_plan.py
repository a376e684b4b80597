"""FilmPlan: after which steps of a training its parameters are kept, and how exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from pellucid.errors import PellucidError
from pellucid.training.checks import check_count

FilmSteps = int | str | Iterable[int]
"""An interval, steps, or either as it is typed."""
HALF = "float16"
MOST_FRAMES = 100_000


class FilmPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Either `every` so many steps, from 0 to the last, or exactly the given `steps`.

    Raises:
        PellucidError: a number is too small, or neither is given.
    """

    every: int | None = None
    steps: tuple[int, ...] = ()
    half: bool = False
    """Whether parameters are rounded to 16 bits: half the file, three digits of each number."""

    def __post_init__(self) -> None:
        if self.every is not None:
            check_count("film", self.every, 1)
        elif not self.steps:
            raise PellucidError("A film of no steps shows nothing: name one, or say film=10.")
        for step in self.steps:
            check_count("film", step, 0)

    @classmethod
    def of(cls, film: FilmSteps | None, *, half: bool = False) -> FilmPlan | None:
        """What was asked for: a number is an interval, several are steps; None for no film.

        Text is as it is typed: "10", or "0,1,10,100".

        Raises:
            PellucidError: it is no whole number and no list of them.
        """
        if film is None:
            if half:
                raise PellucidError("film_half is how a film is kept: give film with it.")
            return None
        if isinstance(film, str):
            film = read_steps(film)
        if isinstance(film, Iterable):
            return cls(steps=tuple(sorted(set(film))), half=half)
        return cls(every=film, half=half)

    def moments(self, last: int, *, unit: str = "step") -> tuple[int, ...]:
        """The steps to keep of a training of so many, in order.

        Raises:
            PellucidError: the training has no such step, or they are too many.
        """
        if self.every is None:
            if self.steps[-1] > last:
                raise PellucidError(
                    f"The film is to keep {unit} {self.steps[-1]}, and the last is {last}: "
                    "leave it out."
                )
            return self.steps
        if last // self.every >= MOST_FRAMES:
            raise PellucidError(
                f"film={self.every} would keep {last // self.every + 1:,} of {last:,} {unit}s, and "
                f"{MOST_FRAMES:,} is the most: take a longer interval."
            )
        return tuple(sorted({*range(0, last + 1, self.every), last}))

    def dtype(self, trained: str) -> str:
        """The type in which parameters are kept that are trained in another."""
        return HALF if self.half else trained


def read_steps(text: str) -> int | list[int]:
    """An interval, or several steps, as they are typed.

    Raises:
        PellucidError: a piece is not a whole number.
    """
    pieces = [piece for piece in re.split(r"[,\s]+", text.strip()) if piece]
    for piece in pieces or [text]:
        if not re.fullmatch(r"\d{1,18}", piece, re.ASCII):
            raise PellucidError(
                f'film: "{piece}" is not a number of steps. Write film 10 for every tenth step, or '
                "film 0,1,10,100 for these."
            )
    return int(pieces[0]) if len(pieces) == 1 else [int(piece) for piece in pieces]
