"""GPT-2's forward pass in straightforward NumPy: functions from leaf to model, float32.

What a reader of the GPT-2 paper would write with `np.mean`, `np.var`, `np.where` and `x**3`, and
with the care a competent one takes: plain Python numbers as constants (a `np.float64` would turn
everything into float64), one product for q, k and v, batched products over the heads, and a mask
made once for a length.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """One block's weights, each `[in, out]`; q, k and v side by side in `w_qkv`."""

    gain1: Array
    shift1: Array
    w_qkv: Array
    b_qkv: Array
    w_out: Array
    b_out: Array
    gain2: Array
    shift2: Array
    w_expand: Array
    b_expand: Array
    w_contract: Array
    b_contract: Array


@dataclass(frozen=True)
class Weights:
    """All of a GPT-2: embeddings (the token table is the head as well), blocks, final norm."""

    tokens: Array
    positions: Array
    blocks: list[Block]
    gain: Array
    shift: Array
    n_head: int


def gpt(ids: NDArray[np.int64], weights: Weights) -> Array:
    """ids [batch, position] → logits [batch, position, vocab]."""
    x = weights.tokens[ids] + weights.positions[: ids.shape[1]]
    for block in weights.blocks:
        x = x + attention(layer_norm(x, block.gain1, block.shift1), block, weights.n_head)
        x = x + feed_forward(layer_norm(x, block.gain2, block.shift2), block)
    return layer_norm(x, weights.gain, weights.shift) @ weights.tokens.T


def attention(x: Array, block: Block, n_head: int) -> Array:
    """Causal self-attention over all heads, [batch, position, d_model] → the same."""
    batch, length, width = x.shape
    qkv = x @ block.w_qkv + block.b_qkv
    q, k, v = qkv.reshape(batch, length, 3, n_head, width // n_head).transpose(2, 0, 3, 1, 4)
    scores = q @ k.transpose(0, 1, 3, 2) / sqrt(width // n_head)
    pattern = softmax(np.where(future(length), np.float32(-1e10), scores))
    heads = (pattern @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return heads @ block.w_out + block.b_out


def feed_forward(x: Array, block: Block) -> Array:
    """Expand, GELU, contract, each position alone."""
    return gelu(x @ block.w_expand + block.b_expand) @ block.w_contract + block.b_contract


def layer_norm(x: Array, gain: Array, shift: Array, epsilon: float = 1e-5) -> Array:
    """Each position's vector to mean 0 and variance 1, then gain and shift."""
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + epsilon) + shift


def gelu(x: Array) -> Array:
    """GELU by its tanh approximation, as GPT-2 has it."""
    return 0.5 * x * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))


def softmax(x: Array) -> Array:
    """Shares that sum to 1 along the last axis."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@lru_cache
def future(length: int) -> NDArray[np.bool_]:
    """True where a key is later than the query, `[query, key]`."""
    return np.triu(np.ones((length, length), dtype=bool), k=1)


def weights_of(parameters: Mapping[str, Array], *, n_layer: int, n_head: int) -> Weights:
    """Arrange Pellucid's parameters of a GPT-2 shape (tied head) as this file wants them."""
    return Weights(
        tokens=parameters["token_embedding"],
        positions=parameters["position_embedding"],
        blocks=[block_of(parameters, f"blocks.{i}.") for i in range(n_layer)],
        gain=parameters["final_norm.gamma"],
        shift=parameters["final_norm.beta"],
        n_head=n_head,
    )


def block_of(parameters: Mapping[str, Array], prefix: str) -> Block:
    """One block's weights, q, k and v put side by side once."""

    def named(name: str) -> Array:
        return parameters[prefix + name]

    return Block(
        gain1=named("norm1.gamma"),
        shift1=named("norm1.beta"),
        w_qkv=np.concatenate([named(f"attn.w_{part}") for part in "qkv"], axis=1),
        b_qkv=np.concatenate([named(f"attn.b_{part}") for part in "qkv"]),
        w_out=named("attn.w_o"),
        b_out=named("attn.b_o"),
        gain2=named("norm2.gamma"),
        shift2=named("norm2.beta"),
        w_expand=named("mlp.w_in"),
        b_expand=named("mlp.b_in"),
        w_contract=named("mlp.w_out"),
        b_contract=named("mlp.b_out"),
    )
