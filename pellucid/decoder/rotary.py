"""Rotary positions: how a config says them, and how fast each pair of numbers turns."""

from __future__ import annotations

from math import ceil, floor, log, pi, sqrt
from typing import get_args

import msgspec

from pellucid.decoder.checks import check_positive
from pellucid.decoder.choices import RotaryLayout, RotaryScalingKind
from pellucid.errors import PellucidError
from pellucid.ops.frequencies import Frequencies
from pellucid.ops.rotary import Rotate


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


def rotate(rotary: Rotary, d_head: int) -> Rotate:
    """The operation that turns heads of this width."""
    plain = plain_frequencies(rotary.base, rotary.width(d_head))
    scaling = rotary.scaling
    if scaling is None:
        return Rotate(Frequencies(plain), rotary.layout)
    if scaling.kind == "longrope":
        frequencies = Frequencies(
            divided(plain, scaling.short_factors),
            original=scaling.original_block_size,
            longer=divided(plain, scaling.long_factors),
        )
    elif scaling.kind == "dynamic":
        frequencies = Frequencies(
            plain, original=scaling.original_block_size, growth=scaling.factor
        )
    elif scaling.kind == "yarn":
        frequencies = Frequencies(yarn(plain, rotary.base, scaling))
    elif scaling.kind == "llama3":
        frequencies = Frequencies(tuple(llama3(each, scaling) for each in plain))
    else:
        frequencies = Frequencies(divided(plain, (scaling.factor,) * len(plain)))
    return Rotate(frequencies, rotary.layout, magnitude(scaling))


def plain_frequencies(base: float, width: int) -> tuple[float, ...]:
    """Radians per position of each pair: `base^(-2i / width)`."""
    return tuple(base ** (-2 * i / width) for i in range(width // 2))


def divided(frequencies: tuple[float, ...], factors: tuple[float, ...]) -> tuple[float, ...]:
    """Each slowed down by its factor."""
    return tuple(each / factor for each, factor in zip(frequencies, factors, strict=True))


def yarn(frequencies: tuple[float, ...], base: float, scaling: RotaryScaling) -> tuple[float, ...]:
    """Fast pairs as they are, slow ones slowed down, those between by shares.

    Source: Peng et al., "YaRN: Efficient Context Window Extension of Large Language Models" (2023).
    """
    pairs = len(frequencies)

    def pair_that_turns(times: float) -> float:
        """Which pair turns so many times within the original context."""
        return pairs * log(scaling.original_block_size / (times * 2 * pi)) / log(base)

    low, high = pair_that_turns(scaling.beta_fast), pair_that_turns(scaling.beta_slow)
    if scaling.truncate:
        low, high = floor(low), ceil(high)
    low, high = max(low, 0), min(high, 2 * pairs - 1)
    # A ramp of no length is a step.
    length = high - low or 0.001
    shares = [min(max((i - low) / length, 0.0), 1.0) for i in range(pairs)]
    return tuple(
        each * (1 - share) + each / scaling.factor * share
        for each, share in zip(frequencies, shares, strict=True)
    )


def llama3(frequency: float, scaling: RotaryScaling) -> float:
    """The same with a ramp by how often a pair turns within the original context.

    Source: Llama Team, "The Llama 3 Herd of Models" (2024), and its published code.
    """
    low, high = scaling.low_frequency_factor, scaling.high_frequency_factor
    turns = scaling.original_block_size * frequency / (2 * pi)
    share = min(max((turns - low) / (high - low), 0.0), 1.0)
    return frequency * share + frequency / scaling.factor * (1 - share)


def magnitude(scaling: RotaryScaling) -> float:
    """What rotated vectors are multiplied by."""
    if scaling.kind not in ("yarn", "longrope"):
        return 1.0
    if scaling.attention_factor is not None:
        return scaling.attention_factor
    if scaling.kind == "longrope":
        growth = max(scaling.factor, 1.0)
        return sqrt(1 + log(growth) / log(scaling.original_block_size))
    if scaling.mscale and scaling.mscale_all_dim:
        whole = yarn_magnitude(scaling.factor, scaling.mscale)
        return whole / yarn_magnitude(scaling.factor, scaling.mscale_all_dim)
    return yarn_magnitude(scaling.factor)


def yarn_magnitude(factor: float, mscale: float = 1.0) -> float:
    """By how much YaRN lengthens queries and keys, so that attention stays as sharp."""
    return 0.1 * mscale * log(factor) + 1 if factor > 1 else 1.0
