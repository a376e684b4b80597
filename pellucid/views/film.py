"""A film by itself, and what was seen in one: which steps there are, and which tensors."""

from __future__ import annotations

from pellucid.training.film import Film
from pellucid.training.film_trace import FilmTrace
from pellucid.views.catalogue.film import evenly, loss_so_far
from pellucid.views.catalogue.places import quoted
from pellucid.views.scene import Block, Table

MOST_ROWS = 11


def blocks_of_film(thing: Film | FilmTrace) -> tuple[Block, ...]:
    """The blocks of either."""
    return film_blocks(thing) if isinstance(thing, Film) else film_trace_blocks(thing)


def film_blocks(film: Film) -> tuple[Block, ...]:
    """Steps with their losses, from the first to the last, then the curve of all losses."""
    shown = evenly(len(film), MOST_ROWS)
    rows = tuple((film.steps[at], film.losses.at(film.steps[at])) for at in shown)
    left_out = f" {len(shown)} of {len(film):,} are listed." if len(shown) < len(film) else ""
    table = Table(
        f"A film of a training: {counted(film)}",
        (film.unit, "loss (nats)"),
        rows,
        note=f"Parameters are kept as {film.dtype}.{left_out}",
    )
    return (table, loss_so_far(film)) if film.losses.training else (table,)


def counted(film: Film) -> str:
    """How many steps there are, and from which to which."""
    if len(film) == 1:
        return f"{film.unit} {film.steps[0]:,}"
    return f"{len(film):,} {film.unit}s, {film.steps[0]:,} to {film.steps[-1]:,}"


def film_trace_blocks(watched: FilmTrace) -> tuple[Block, ...]:
    """The tensors that were kept, each over all steps."""
    rows = []
    for name in watched.names:
        tensor = watched[name]
        shape = "×".join(map(str, tensor.shape))
        rows.append((name, " ".join(tensor.dims), shape, tensor.title.partition(": ")[0]))
    return (
        Table(
            f"“{quoted(watched.tokens)}” at {len(watched.steps):,} {watched.film.unit}s",
            ("tensor", "dims", "shape", "what it is"),
            tuple(rows),
            align=("left", "left", "right", "left"),
            note="Parameters are there by their names too.",
        ),
    )
