"""What a model would say at each place of its residual stream."""

from __future__ import annotations

import numpy as np

from pellucid.analysis.lens_reading import LensReading
from pellucid.decoder.stream import states_of_block
from pellucid.trace.cell import Place
from pellucid.views.catalogue.layers import said
from pellucid.views.catalogue.places import position_in, shortened, text_of
from pellucid.views.edits import in_note
from pellucid.views.labels import label
from pellucid.views.numbers import percent
from pellucid.views.scene import Axis, Block, Curve, Matrix, Series, Table

MOST_PLACES = 24
"""Of more, what each block hands on is shown, without what stands between its halves."""
MOST_GUESSES = 2


def lens(reading: LensReading, *, halves: bool | None = None) -> tuple[Block, ...]:
    """The likeliest next token at every place and position, coloured by its probability.

    With `halves` every state of a block is shown, else the last alone; as there is room, unless
    given.
    """
    rows, edits = places_shown(reading, halves), reading.trace.edits
    chosen = reading.likeliest[rows, :, 0]
    return (
        Matrix(
            "The likeliest next token at each place of the stream",
            reading.probs[rows, :, 0],
            Axis("after", places_in_words(reading, rows)),
            Axis("position", reading.tokens),
            kind="probability",
            words=tuple(tuple(map(reading.token, ids)) for ids in chosen.tolist()),
            note=in_note("What stands in the lowest row is what the model says.", edits),
        ),
    )


def places_shown(reading: LensReading, halves: bool | None) -> range:
    """The states of a view, from what enters the blocks to the last, where the model speaks."""
    every = len(reading.places) <= MOST_PLACES if halves is None else halves
    step = 1 if every else len(states_of_block(reading.trace.config))
    return range(len(reading.places) - 1, -1, -step)[::-1]


def places_in_words(reading: LensReading, rows: range) -> tuple[str, ...]:
    """By block and what it has done last; by block alone where its output is all that is shown."""
    if rows.step == 1:
        return reading.place_words
    return (reading.place_words[0], *(f"block {block}" for block in range(len(rows) - 1)))


def lens_at(
    reading: LensReading, *, position: Place = -1, halves: bool | None = None
) -> tuple[Block, ...]:
    """How the guess after one position grows: the probability of what the model says in the end.

    With `halves` as in `lens`.
    """
    at = position_in(reading.trace["logits"], position)
    return growth(reading, at), guesses(reading, at, places_shown(reading, halves))


def growth(reading: LensReading, at: int) -> Curve:
    """The probability of the tokens that are followed, from the embedding to the end."""
    config = reading.trace.config
    passed = np.arange(len(reading.places)) / len(states_of_block(config))
    ids = reading.followed[at].tolist()
    # One that is both the answer and asked for is drawn once.
    columns = {id: column for column, id in enumerate(ids)}
    return Curve(
        f"How a guess grows after {text_of(reading.trace, at)}",
        tuple(
            Series(reading.token(id), reading.followed_probs[:, at, column], passed)
            for id, column in columns.items()
        ),
        x_label="blocks passed",
        y_label="probability",
        note=in_note(said(config), reading.trace.edits),
    )


def guesses(reading: LensReading, at: int, rows: range) -> Table:
    """The likeliest tokens at every place, and how far the guess is from what the model says."""
    answer = word(reading, int(reading.followed[at, 0]))
    numbers = zip(
        places_in_words(reading, rows),
        (likeliest(reading, row, at) for row in rows),
        map(percent, reading.followed_probs[rows, at, 0].tolist()),
        reading.followed_ranks[rows, at, 0].tolist(),
        reading.divergence[rows, at].tolist(),
        reading.entropy[rows, at].tolist(),
        strict=True,
    )
    return Table(
        f"Guesses after {text_of(reading.trace, at)}",
        ("after", "likeliest tokens", f"of {answer}", "its rank", "KL", "entropy"),
        tuple(numbers),
        align=("left", "left", "right", "right", "decimal", "decimal"),
        note=(
            f"“{answer}” is what the model says. KL: from what it says to the guess; entropy: how "
            "unsure the guess is; both in nats."
        ),
    )


def likeliest(reading: LensReading, place: int, at: int) -> str:
    """The first few tokens with their probabilities, as one text."""
    ids, probs = reading.likeliest[place, at], reading.probs[place, at]
    pairs = list(zip(ids.tolist(), probs.tolist(), strict=True))[:MOST_GUESSES]
    return "  ".join(f"{word(reading, id)} {percent(prob)}" for id, prob in pairs)


def word(reading: LensReading, id: int) -> str:
    """A token as it can stand in a row of a table, whatever is in it."""
    return label(shortened(reading.token(id)))
