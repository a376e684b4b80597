"""Part 7: the model speaks, and what could have been chosen otherwise."""

from __future__ import annotations

from pellucid.tour.batches import batches
from pellucid.tour.generation import generation
from pellucid.tour.lesson import Lesson
from pellucid.tour.recap import recap
from pellucid.tour.sampling import sampling
from pellucid.tour.variations import variations
from pellucid.views.scene import Block


def summary(lesson: Lesson) -> tuple[Block, ...]:
    """Generation step by step, then the closing notes, each with the variation run."""
    return (
        *generation(lesson),
        *variations(lesson),
        *sampling(lesson),
        *batches(lesson),
        *recap(lesson),
    )
