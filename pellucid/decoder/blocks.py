"""Blocks: two additions to the residual stream, attention and then the feed-forward network.

Where norms stand is chosen by table, so that another placement is one small function. A block that
only attends ends after the first addition.
"""

from __future__ import annotations

from collections.abc import Callable

from pellucid.decoder.attention import attention
from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.mlp import mlp
from pellucid.decoder.steps import norm, scaled
from pellucid.ops.residual import Add


def block(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """The block of a layer."""
    if config.parallel_block:
        return parallel_block(g, config, layer, x)
    return BLOCKS[config.norm_position](g, config, layer, x)


def pre_norm_block(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """Normalise, attend, add; normalise, feed forward, add."""
    attended = attention(g.scope("attn"), config, layer, norm(g, config, "norm1", x))
    x = add_attention(g, config, x, attended)
    if not config.mlp:
        return g.alias("resid_post", x)
    return add_mlp(g, config, x, mlp(g.scope("mlp"), config, norm(g, config, "norm2", x)))


def post_norm_block(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """Attend, add, normalise; feed forward, add, normalise."""
    attended = attention(g.scope("attn"), config, layer, x)
    x = norm(g, config, "norm1", add_attention(g, config, x, attended))
    if not config.mlp:
        return x
    return norm(g, config, "norm2", add_mlp(g, config, x, mlp(g.scope("mlp"), config, x)))


def sandwich_norm_block(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """Normalise, attend, normalise, add; normalise, feed forward, normalise, add."""
    attended = attention(g.scope("attn"), config, layer, norm(g, config, "norm1", x))
    x = add_attention(g, config, x, norm(g, config, "norm1_post", attended))
    if not config.mlp:
        return g.alias("resid_post", x)
    expanded = mlp(g.scope("mlp"), config, norm(g, config, "norm2", x))
    return add_mlp(g, config, x, norm(g, config, "norm2_post", expanded))


def output_norm_block(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """Attend, normalise, add; feed forward, normalise, add."""
    attended = attention(g.scope("attn"), config, layer, x)
    x = add_attention(g, config, x, norm(g, config, "norm1_post", attended))
    if not config.mlp:
        return g.alias("resid_post", x)
    return add_mlp(g, config, x, norm(g, config, "norm2_post", mlp(g.scope("mlp"), config, x)))


def parallel_block(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """Attend and feed forward beside each other, from one stream; add both."""
    first = norm(g, config, "norm1", x)
    second = first if config.shared_norm else norm(g, config, "norm2", x)
    x = add_attention(g, config, x, attention(g.scope("attn"), config, layer, first))
    return add_mlp(g, config, x, mlp(g.scope("mlp"), config, second))


def add_attention(g: GraphBuilder, config: ModelConfig, x: str, attended: str) -> str:
    """The stream with what attention adds."""
    added = scaled(g, "attn.scaled", config.residual_multiplier, attended)
    return g("resid_mid", Add(), x, added)


def add_mlp(g: GraphBuilder, config: ModelConfig, x: str, expanded: str) -> str:
    """The stream with what the feed-forward network adds."""
    added = scaled(g, "mlp.scaled", config.residual_multiplier, expanded)
    return g("resid_post", Add(), x, added)


BLOCKS: dict[str, Callable[[GraphBuilder, ModelConfig, int, str], str]] = {
    "pre": pre_norm_block,
    "post": post_norm_block,
    "sandwich": sandwich_norm_block,
    "output": output_norm_block,
}
