"""A training as a film: embeddings on their way, a pattern forming, the next token, the loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.analysis.plane import Plane
from pellucid.ops.operation import Array
from pellucid.trace.cell import Place
from pellucid.training.film import Film
from pellucid.training.film_trace import FilmTrace
from pellucid.views.catalogue.places import amount, place, position_in, quoted
from pellucid.views.loss_curve import PARTS, columns, smoothed
from pellucid.views.scene import Axis, Bars, Block, Curve, Level, Matrix, Panels, Points, Series

MOST_POINTS = 60
"""Of a larger vocabulary the tokens of the prompt are shown."""
MOST_PATTERNS = 6
"""Steps whose patterns stand beside each other."""


def film_embeddings(watched: FilmTrace) -> tuple[Block, ...]:
    """How the tokens' rows moved, from the first step to the last, seen in one plane."""
    return (embeddings(watched),)


def embeddings(watched: FilmTrace, last: int | None = None) -> Points:
    """The ways of the tokens' rows up to the place `last` of the film, in the plane of its end."""
    rows = watched["token_embedding"].values
    plane = Plane.of(rows[-1])
    shown = tokens_shown(watched)
    ways = np.swapaxes(plane.seen(rows[:, shown]), 0, 1)
    first, second = (f"{share:.0%}" for share in plane.shares)
    few = len(shown) < rows.shape[1]
    points = Points(
        "Embeddings on their way",
        tuple(named(watched, id) for id in shown),
        ways,
        x_label=f"first direction, {first} of the variance",
        y_label=f"second direction, {second}",
        note="The plane is that in which the rows of the last step differ most."
        + (f" Shown: the prompt's {len(shown)} of {rows.shape[1]:,} tokens." if few else ""),
    )
    if last is None:
        return points
    # A note at every step, for there may be more to say at some: nothing is to move.
    so_far = ways[:, : range(ways.shape[1])[last] + 1]
    return replace(points, ways=so_far, note="In the plane of the last step.")


def tokens_shown(watched: FilmTrace) -> list[int]:
    """All tokens of a small vocabulary, or those of the prompt, each once."""
    size = watched.film.config.vocab_size
    return list(range(size)) if size <= MOST_POINTS else sorted(set(watched.ids))


def film_pattern(watched: FilmTrace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """How one head shared out its attention at some steps, from the first to the last."""
    shares, name = patterns(watched, block, head)
    spread = evenly(len(watched.steps), MOST_PATTERNS)
    tokens = watched.tokens
    return (
        Panels(
            f"The pattern at {watched.film.unit}s of the training: {name}",
            (shares[spread],),
            rows=Axis("", ("",)),
            columns=Axis(watched.film.unit, tuple(f"{watched.steps[at]:,}" for at in spread)),
            inner_rows=Axis("query", tokens),
            inner_columns=Axis("key", tokens),
            kind="probability",
        ),
    )


def patterns(watched: FilmTrace, block: int, head: int) -> tuple[Array, str]:
    """The patterns [step, query, key] of a head, and what it is called.

    Raises PellucidError where there is no such head, or the pattern was not kept.
    """
    config = watched.film.config
    block, head = place("block", block, config.n_layer), place("head", head, config.n_head)
    shares: Array = watched[f"blocks.{block}.attn.pattern"].values[:, head]
    return shares, f"block {block}, head {head}"


def pattern_at(watched: FilmTrace, at: int, block: int, head: int) -> Matrix:
    """The pattern of a head at one place of the film."""
    shares, name = patterns(watched, block, head)
    return Matrix(
        f"Attention, {name}",
        shares[at],
        Axis("query", watched.tokens),
        Axis("key", watched.tokens),
        kind="probability",
    )


def film_probabilities(
    watched: FilmTrace, *, position: Place = -1, top: int = 5
) -> tuple[Block, ...]:
    """How likely the model held each next token to be, step by step, and below it the loss."""
    shares, at = probabilities(watched, position)
    ids = leaders(shares, amount("top", top, "token"))
    steps = np.array(watched.steps)
    curve = Curve(
        f"What comes after “{quoted(watched.tokens[: at + 1])}”",
        tuple(Series(named(watched, id), shares[:, id], steps) for id in ids),
        x_label=watched.film.unit,
        y_label="probability",
        note=f"The {len(ids)} tokens that were once the likeliest, or most nearly so.",
    )
    return curve, loss_so_far(watched.film)


def probabilities(watched: FilmTrace, position: Place) -> tuple[Array, int]:
    """Probabilities [step, vocab] after a position, and its index."""
    probs = watched["probs"]
    at = position_in(probs, position)
    return np.asarray(probs.values[:, at]), at


def leaders(shares: NDArray[np.floating], top: int) -> list[int]:
    """The ids that had the largest share [step, vocab] at any step; in their order at the last."""
    chosen = np.argsort(-shares.max(axis=0), kind="stable")[:top]
    return [int(id) for id in chosen[np.argsort(-shares[-1, chosen], kind="stable")]]


def probabilities_at(watched: FilmTrace, at: int, top: int = 6) -> Bars:
    """The same tokens' probabilities after the last position, at one place of the film."""
    shares, _ = probabilities(watched, -1)
    ids = leaders(shares, top)
    return Bars(
        f"What comes after “{quoted(watched.tokens)}”",
        tuple((named(watched, id), float(shares[at, id])) for id in ids),
        limit=1.0,
        whole=True,
    )


def loss_so_far(film: Film, step: int | None = None) -> Curve:
    """The loss over the whole training, and where it stood at a step."""
    steps, losses = columns(film.losses.training)
    # Epochs see everything; single batches differ too much for one to see a line.
    per_point = -(-len(steps) // PARTS) if film.unit == "step" else 1
    if per_point > 1:
        steps, losses = smoothed(steps, losses)
    series = [Series("training", losses, steps)] if len(steps) else []
    if film.losses.validation:
        held_out, validation = columns(film.losses.validation)
        series.append(Series("validation", validation, held_out))
    if step is not None and len(steps):
        here = max(int(np.searchsorted(steps, step, side="right")) - 1, 0)
        series.append(Series(f"{film.unit} {step:,}:", losses[[here]], steps[[here]]))
    floor = film.losses.floor
    said = f"Training: the mean of {per_point} {film.unit}s to a point." if per_point > 1 else None
    return Curve(
        "Loss",
        tuple(series),
        x_label=film.unit,
        y_label="nats per token",
        levels=() if floor is None else (Level("floor", floor),),
        note=None if step is not None else said,
    )


def evenly(size: int, most: int) -> list[int]:
    """At most so many indices of so many, evenly spread, the first and the last among them."""
    if size <= most:
        return list(range(size))
    return [round(place) for place in np.linspace(0, size - 1, most).tolist()]


def named(watched: FilmTrace, id: int) -> str:
    """How a token reads; its id where there is no tokenizer."""
    return str(id) if watched.vocabulary is None else watched.vocabulary[id]
