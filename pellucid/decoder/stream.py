"""The residual stream: the states that a position's vector passes, from embeddings to the head."""

from __future__ import annotations

from pellucid.decoder.config import ModelConfig

STATES = {
    "pre": (("resid_mid",), ("resid_post",)),
    "post": (("resid_mid", "norm1"), ("resid_post", "norm2")),
    "sandwich": (("resid_mid",), ("resid_post",)),
    "output": (("resid_mid",), ("resid_post",)),
}
"""After each half of a block, by where its norms stand."""


def states_of_block(config: ModelConfig) -> tuple[str, ...]:
    """The states within a block, by their names there; the last is the block's output."""
    attended, expanded = STATES[config.norm_position]
    return attended + expanded if config.mlp else attended


def stream(config: ModelConfig) -> tuple[str, ...]:
    """Every state, each `position d_model`: what enters the blocks, then what these make of it.

    The last is what the final norm reads, or the head where there is none.
    """
    within = states_of_block(config)
    blocks = (f"blocks.{layer}.{name}" for layer in range(config.n_layer) for name in within)
    return ("embed.out", *blocks)
