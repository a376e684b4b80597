"""A film for a page: the parameters of several steps of a training, and the losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.ops.operation import Array
from pellucid.views.explorer.packing import pack

if TYPE_CHECKING:
    from pellucid.training.film import Film

MOST_FILMED = 4 * 2**20
"""Bytes of float32 parameters of all steps; of a longer film fewer steps are in the page."""


def film_data(
    film: Film, parameters: Mapping[str, Array], *, weights: bool = True
) -> dict[str, Any]:
    """A film as plain data, in the form of `web/src/wire.ts`.

    Args:
        film: of the training of a model.
        parameters: of that model, by name: a training may keep others than those of its last step.
        weights: whether the parameters of the steps are in the page.

    With its weights each parameter has a dim `step` before its own, as long as `steps`; a server
    has all of them, at every step that was kept.
    """
    places = kept_places(film) if weights else list(range(len(film)))
    slots, numbers = packed_frames(film, places) if weights else ({}, None)
    steps = [film.steps[place] for place in places]
    losses = film.losses.training
    return {
        "unit": film.unit,
        "steps": steps,
        "kept": len(film),
        "own": step_of(film, parameters),
        "slots": slots,
        "bytes": numbers,
        "losses": {"x": [step for step, _ in losses], "y": [loss for _, loss in losses]},
        "floor": film.losses.floor,
    }


def step_of(film: Film, parameters: Mapping[str, Array]) -> int | None:
    """The step at which the film has these parameters, the latest of several; None for no step."""
    # As the film keeps them, perhaps in half precision.
    own = {name: array.astype(film.dtype) for name, array in parameters.items()}
    for place in reversed(range(len(film))):
        frame = film.frames.arrays
        if all(np.array_equal(frame[name][place], array) for name, array in own.items()):
            return film.steps[place]
    return None


def packed_frames(film: Film, places: Sequence[int]) -> tuple[dict[str, dict[str, Any]], str]:
    """The parameters at some places, one after the other."""
    frames = [film.parameters(place) for place in places]
    return pack({name: np.stack([frame[name] for frame in frames]) for name in frames[0]})


def kept_places(film: Film) -> list[int]:
    """Which steps a page takes: all, or some from the first to the last, evenly chosen."""
    size = 4 * sum(array[0].size for array in film.frames.arrays.values())
    most = max(MOST_FILMED // size, 2)
    if len(film) <= most:
        return list(range(len(film)))
    return [round(place) for place in np.linspace(0, len(film) - 1, most)]
