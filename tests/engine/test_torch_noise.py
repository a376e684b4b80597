"""Dropout's numbers in torch are NumPy's, bit by bit, wherever they are drawn."""

from zlib import crc32

import numpy as np
import pytest
import torch

from pellucid.engine.torch_noise import multiply, philox, signed, uniform
from pellucid.ops.dropout import Dropout, noise_keys

OP = Dropout(0.4, "blocks.3.mlp.out_dropout")
KEYS = np.concatenate(
    [noise_keys(seed=1, step=7, samples=np.arange(3)), np.array([0, 1, 2**63, 2**64 - 1], "uint64")]
)
SHAPES = [(1,), (7,), (8,), (9,), (3, 5), (2, 3, 4), (40, 64)]


def drawn_by_numpy(shape):
    return np.stack([OP.stream(int(key)).random(shape, dtype=np.float32) for key in KEYS])


@pytest.mark.parametrize("shape", SHAPES)
def test_on_the_cpu(shape):
    found = uniform(OP, torch.from_numpy(KEYS.view(np.int64)), shape)
    np.testing.assert_array_equal(found.numpy(), drawn_by_numpy(shape))


@pytest.mark.parametrize("shape", SHAPES)
def test_as_other_devices_draw_them(shape):
    """The generator that is written in torch runs on the CPU too."""
    keys = torch.from_numpy(KEYS.view(np.int64))
    found = philox(keys, crc32(OP.place.encode()), int(np.prod(shape)))
    np.testing.assert_array_equal(found.numpy().reshape(-1, *shape), drawn_by_numpy(shape))


def test_a_product_of_64_bits_has_128():
    numbers = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15]
    for b in numbers:
        high, low = multiply(torch.tensor([signed(a) for a in numbers]), b)
        products = [a * b for a in numbers]
        assert high.tolist() == [signed(product >> 64) for product in products]
        assert low.tolist() == [signed(product % 2**64) for product in products]
