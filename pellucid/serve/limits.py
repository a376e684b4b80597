"""How much a server takes on before it says no."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of a server; what goes beyond is refused in words."""

    body: int = 2**20
    """Bytes of a request."""
    seconds: float = 10.0
    """For a request to arrive whole."""
    positions: int = 1024
    """Tokens of a text."""
    edits: int = 100
    """Edits of a run."""
    run: int = 2**30
    """Bytes of all tensors of a run."""
    running: int = 1
    """Runs at a time: each uses all cores."""
    waiting: int = 8
    """Runs that wait for their turn."""
    kept: int = 2**30
    """Bytes of the runs that can still be looked at; the oldest are forgotten."""
    filmed: int = 4
    """Models of a film's steps that are held at a time."""
    terms: int = 1024
    """Contributions of an explanation."""
