"""A reading of the residual stream as something to look at."""

from __future__ import annotations

from pellucid.analysis.lens_reading import LensReading
from pellucid.trace.cell import Place
from pellucid.views.catalogue.lens import lens, lens_at
from pellucid.views.markup import escape
from pellucid.views.scene import Block, Heading, Prose


def lens_blocks(
    reading: LensReading, *, position: Place = -1, halves: bool | None = None
) -> tuple[Block, ...]:
    """The choice in words, what is read everywhere, and how the guess after one position grows."""
    return (
        Heading("Logit lens", level=2),
        Prose(choice(reading)),
        *lens(reading, halves=halves),
        *lens_at(reading, position=position, halves=halves),
    )


def choice(reading: LensReading) -> str:
    """What every state was put through, and where a norm's statistics come from."""
    steps = " → ".join(f"`{escape(step)}`" for step in reading.steps)
    noun = "steps" if len(reading.steps) > 1 else "step"
    norm = reading.trace.config.final_norm
    said = (
        "with the norm's statistics worked out anew of that state"
        if norm
        else "as this model has no final norm, the head reads it as it is"
    )
    return (
        f"Each state of the residual stream goes through the model's own last {noun}, {steps}: "
        f"{said}. Behind the last state that is what the model says."
    )
