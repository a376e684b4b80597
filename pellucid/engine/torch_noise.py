"""The random numbers of dropout in torch: bit by bit those that NumPy's generator draws.

On the CPU NumPy draws them. Elsewhere the same generator, Philox, is written in torch, so that no
mask has to travel to the device.
"""

from __future__ import annotations

from math import ceil, prod
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import Tensor

from pellucid.ops.dropout import Dropout

ROUNDS = 10
MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
LOW = 0xFFFFFFFF


def draw(keys: torch.Tensor, place: str, shape: list[int]) -> torch.Tensor:
    """What the generator of each key at this place draws."""
    number = crc32(place.encode())
    if keys.device.type != "cpu":
        return philox(keys, number, prod(shape)).reshape(len(keys), *shape)
    drawn = np.empty((len(keys), *shape), dtype=np.float32)
    for text, key in zip(drawn, keys.numpy().view(np.uint64), strict=True):
        seed = np.array([key, number], dtype=np.uint64)
        np.random.Generator(np.random.Philox(key=seed)).random(out=text, dtype=np.float32)
    return torch.from_numpy(drawn)


def undrawn(keys: torch.Tensor, place: str, shape: list[int]) -> torch.Tensor:
    """A tensor of the same shape and dtype."""
    return keys.new_empty((len(keys), *shape), dtype=torch.float32)


DRAWING: Any = torch.library.custom_op("pellucid::draw", draw, mutates_args=())
"""The same as an operation that torch.compile does not look into."""
DRAWING.register_fake(undrawn)


def uniform(op: Dropout, keys: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Numbers from 0 to 1 for each text of a batch.

    Args:
        op: whose place they are for.
        keys: `[batch]`, int64: the bits of the keys that `noise_keys` gives.
        shape: of what one text has here.

    Returns:
        `[batch, *shape]`, float32.
    """
    drawn: Tensor = DRAWING(keys, op.place, list(shape))
    return drawn


def philox(keys: Tensor, place: int, count: int) -> Tensor:
    """The first `count` numbers of each key's generator at this place, `[batch, count]`.

    Whole numbers of 64 bits are int64 tensors whose bits are meant.
    Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011): Philox4x64-10.
    """
    # Eight numbers of 32 bits come out of each counter; NumPy's generator begins with 1.
    counter = torch.arange(1, 1 + ceil(count / 8), device=keys.device).expand(len(keys), -1)
    zero = torch.zeros_like(counter)
    words = (counter, zero, zero, zero)
    key = (keys[:, None], zero + place)
    for _ in range(ROUNDS):
        high_0, low_0 = multiply(words[0], MULTIPLIERS[0])
        high_1, low_1 = multiply(words[2], MULTIPLIERS[1])
        words = (high_1 ^ words[1] ^ key[0], low_1, high_0 ^ words[3] ^ key[1], low_0)
        key = (key[0] + signed(WEYL[0]), key[1] + signed(WEYL[1]))
    halves = torch.stack([half for word in words for half in (word & LOW, (word >> 32) & LOW)], -1)
    return (halves.flatten(1)[:, :count] >> 8).float() * 2**-24


def multiply(a: Tensor, b: int) -> tuple[Tensor, Tensor]:
    """The upper and the lower 64 bits of a product of two unsigned numbers of 64 bits."""
    a_low, a_high = a & LOW, (a >> 32) & LOW
    b_low, b_high = b & LOW, b >> 32
    middle = a_high * b_low + ((a_low * b_low >> 32) & LOW)
    # The first sum fits into 64 unsigned bits; this one does too, without the first's upper half.
    other = a_low * b_high + (middle & LOW)
    high = a_high * b_high + ((middle >> 32) & LOW) + ((other >> 32) & LOW)
    return high, a * signed(b)


def signed(number: int) -> int:
    """The signed whole number that has the same 64 bits."""
    return number - (1 << 64) if number >> 63 else number
