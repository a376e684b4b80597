"""Rotary positions: how a config says them, and how fast each pair of numbers turns."""

from __future__ import annotations

from typing import get_args

import msgspec

from pellucid.decoder.checks import check_positive
from pellucid.decoder.choices import RotaryLayout, RotaryScalingKind
from pellucid.errors import PellucidError


class RotaryScaling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model reads on past the context that it was first trained for.

    Raises:
        PellucidError: a number is out of its range, or lacks.
    """

    kind: RotaryScalingKind
    factor: float = 1.0
    """By how much the context grows."""
    original_block_size: int = 0
    """The context of the first training. Without a meaning for `linear`."""
    low_frequency_factor: float = 1.0
    """Of `llama3`: what turns fewer times than this in the original context is slowed down."""
    high_frequency_factor: float = 4.0
    """Of `llama3`: what turns more often stays as it is."""
    beta_fast: float = 32.0
    """Of `yarn`: what turns more often than this in the original context stays as it is."""
    beta_slow: float = 1.0
    """Of `yarn`: what turns fewer times is slowed down by the whole `factor`."""
    truncate: bool = True
    """Of `yarn`: whether the ends of the ramp between the two are rounded to whole pairs."""
    attention_factor: float | None = None
    """What `yarn` and `longrope` multiply rotated vectors by; from `factor` where it is None."""
    mscale: float = 0.0
    mscale_all_dim: float = 0.0
    """Of `yarn`: where both are given, the attention factor is a ratio made from them."""
    short_factors: tuple[float, ...] = ()
    """Of `longrope`: by how much each pair is slowed down within the original context."""
    long_factors: tuple[float, ...] = ()
    """Of `longrope`: the same for texts that are longer."""

    def __post_init__(self) -> None:
        known = get_args(RotaryScalingKind)
        if self.kind not in known:
            raise PellucidError(f"kind={self.kind!r} is not one of {', '.join(known)}.")
        for name in ("factor", "low_frequency_factor", "high_frequency_factor", "beta_fast"):
            check_positive(name, getattr(self, name))
        check_positive("beta_slow", self.beta_slow)
        if self.kind != "linear" and self.original_block_size < 2:
            raise PellucidError(
                f'Rotary scaling "{self.kind}" needs an original_block_size; '
                f"it is {self.original_block_size!r}."
            )
        if self.attention_factor is not None:
            check_positive("attention_factor", self.attention_factor)
        if self.kind == "llama3" and self.low_frequency_factor >= self.high_frequency_factor:
            raise PellucidError(
                f"low_frequency_factor={self.low_frequency_factor} is not below "
                f"high_frequency_factor={self.high_frequency_factor}."
            )
        for factor in (*self.short_factors, *self.long_factors):
            check_positive("A rotary factor", factor)


class Rotary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rotary positions of a model's queries and keys.

    Raises:
        PellucidError: a number is out of its range.
    """

    base: float = 10_000.0
    dim: int = 0
    """How many of a head's numbers are turned, the first ones; 0: all of them."""
    layout: RotaryLayout = "halves"
    """Which two numbers are turned together: `i` and `i + dim/2`, or neighbours."""
    scaling: RotaryScaling | None = None

    def __post_init__(self) -> None:
        known = get_args(RotaryLayout)
        if self.layout not in known:
            raise PellucidError(f"layout={self.layout!r} is not one of {', '.join(known)}.")
        check_positive("base", self.base)
        if not isinstance(self.dim, int) or self.dim < 0:
            raise PellucidError(f"dim={self.dim!r} is not a number of numbers to turn.")

    def width(self, d_head: int) -> int:
        """How many numbers of a head of `d_head` are turned.

        Raises:
            PellucidError: they are no pairs, more than there are, or not as many as the factors.
        """
        width = self.dim or d_head
        if width > d_head or width % 2:
            raise PellucidError(
                f"Rotary positions turn pairs: {width} numbers of a head of d_head={d_head} "
                f"cannot be turned."
            )
        if self.scaling is not None and self.scaling.kind == "longrope":
            for name in ("short_factors", "long_factors"):
                given = len(getattr(self.scaling, name))
                if given != width // 2:
                    raise PellucidError(f"{name} are {given}, but there are {width // 2} pairs.")
        if self.scaling is not None and self.scaling.kind == "dynamic" and width < 4:
            raise PellucidError("Dynamic rotary scaling needs two pairs at least.")
        return width
