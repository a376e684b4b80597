"""The colours of a diagram's roles, derived from a theme."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.views.figures.colours import mixed
from pellucid.views.figures.theme import Theme

NOTHING = "none"
PARTS = ("embed", "attn", "mlp", "norm", "head", "loss", "stream")


@dataclass(frozen=True, slots=True)
class Paint:
    """What a shape is filled with, and its outline: its colour and how wide it is in pixels."""

    fill: str
    stroke: str = NOTHING
    width: float = 0.0


def part_colours(theme: Theme) -> dict[str, str]:
    """The colour of each part: attention blue, feed-forward orange, probabilities violet."""
    blue, orange, violet, teal, rose, _ = theme.series
    named = {"embed": teal, "attn": blue, "mlp": orange, "head": violet, "loss": rose}
    return {**named, "norm": theme.quiet, "stream": theme.ink}


def paints(theme: Theme) -> dict[str, Paint]:
    """How each role is painted."""
    line = mixed(theme.quiet, theme.paper, 0.15)
    found = {
        "paper": Paint(theme.paper),
        "frame": Paint(mixed(theme.paper, theme.quiet, 0.06), theme.grid, 1.2),
        "badge": Paint(theme.ink),
        "badge text": Paint(theme.paper),
        "ink": Paint(theme.ink),
        "quiet": Paint(theme.quiet),
        "pill": Paint(theme.paper, line, 1.0),
        "branch": Paint(NOTHING, line, 1.5),
        "branch dot": Paint(line),
        "stream": Paint(NOTHING, theme.ink, 3.0),
        "stream dot": Paint(theme.ink),
        "plus": Paint(NOTHING, theme.ink, 2.0),
    }
    for part, colour in part_colours(theme).items():
        width = 2.0 if part == "stream" else 1.4
        found[f"box {part}"] = Paint(mixed(theme.paper, colour, 0.02), colour, width)
        found[f"panel {part}"] = Paint(mixed(theme.paper, colour, 0.11))
        found[f"tag {part}"] = Paint(mixed(theme.paper, colour, 0.16))
        found[f"{part} ink"] = Paint(colour)
        # On its own tint a colour is hard to read: what stands there is nearer to the ink.
        found[f"{part} on panel"] = Paint(mixed(colour, theme.ink, 0.3))
    return found
