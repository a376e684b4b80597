"""Known shapes, by name."""

from __future__ import annotations

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError, did_you_mean


def gpt2(n_layer: int, n_head: int, n_embd: int) -> ModelConfig:
    """GPT-2: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019)."""
    return ModelConfig(
        vocab_size=50257,
        block_size=1024,
        n_layer=n_layer,
        n_head=n_head,
        n_embd=n_embd,
        tied_head=True,
    )


def character_model(n_layer: int, n_head: int, n_embd: int, block_size: int) -> ModelConfig:
    """A GPT for text of one's own; training fits `vocab_size` to the text."""
    return ModelConfig(
        vocab_size=96,
        block_size=block_size,
        n_layer=n_layer,
        n_head=n_head,
        n_embd=n_embd,
        tied_head=True,
    )


PRESETS: dict[str, ModelConfig] = {
    "baby-groot": ModelConfig(
        vocab_size=24,
        block_size=4,
        n_layer=1,
        n_head=1,
        n_embd=8,
        d_mlp=16,
        norm_position="post",
        activation="relu",
        attention_output=False,
        head_bias=True,
        final_norm=False,
    ),
    "lesson-3": ModelConfig(
        vocab_size=24,
        block_size=16,
        n_layer=2,
        n_head=4,
        n_embd=64,
        attention_bias=False,
        attention_output_bias=False,
        head_bias=True,
    ),
    "nano": character_model(n_layer=4, n_head=4, n_embd=128, block_size=64),
    "micro": character_model(n_layer=6, n_head=6, n_embd=192, block_size=128),
    "mini": character_model(n_layer=6, n_head=6, n_embd=384, block_size=256),
    "gpt2": gpt2(n_layer=12, n_head=12, n_embd=768),
    "gpt2-medium": gpt2(n_layer=24, n_head=16, n_embd=1024),
    "gpt2-large": gpt2(n_layer=36, n_head=20, n_embd=1280),
    "gpt2-xl": gpt2(n_layer=48, n_head=25, n_embd=1600),
}


def preset(name: str) -> ModelConfig:
    """The shape of that name.

    Raises:
        PellucidError: there is none; near names are offered.
    """
    if name not in PRESETS:
        near = did_you_mean(name, PRESETS) or f" There are {', '.join(PRESETS)}."
        raise PellucidError(f'There is no preset "{name}".{near}')
    return PRESETS[name]
