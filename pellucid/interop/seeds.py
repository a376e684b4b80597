"""The two seeds' own parameter names, and the third lesson's model as it draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.initialisation import initialise
from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError, did_you_mean
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer

GROOT_LINEAR = {
    "transformer.attn.q": ("blocks.0.attn.w_q", "blocks.0.attn.b_q"),
    "transformer.attn.k": ("blocks.0.attn.w_k", "blocks.0.attn.b_k"),
    "transformer.attn.v": ("blocks.0.attn.w_v", "blocks.0.attn.b_v"),
    "transformer.ffn.0": ("blocks.0.mlp.w_in", "blocks.0.mlp.b_in"),
    "transformer.ffn.2": ("blocks.0.mlp.w_out", "blocks.0.mlp.b_out"),
    "head": ("head.w", "head.b"),
}
"""Linear layers, whose weights that seed keeps as `[out, in]`."""
GROOT_PLAIN = {
    "token_embedding.weight": "token_embedding",
    "position_embedding.weight": "position_embedding",
    "transformer.norm1.weight": "blocks.0.norm1.gamma",
    "transformer.norm1.bias": "blocks.0.norm1.beta",
    "transformer.norm2.weight": "blocks.0.norm2.gamma",
    "transformer.norm2.bias": "blocks.0.norm2.beta",
}
STACK_OUTER = {
    "tok_emb": "token_embedding",
    "pos_emb": "position_embedding",
    "lnf_gamma": "final_norm.gamma",
    "lnf_beta": "final_norm.beta",
}
STACK_HEAD = {"W_head": "head.w", "b_head": "head.b"}
STACK_BLOCK = {
    "Wq": "attn.w_q",
    "Wk": "attn.w_k",
    "Wv": "attn.w_v",
    "Wo": "attn.w_o",
    "ln1_gamma": "norm1.gamma",
    "ln1_beta": "norm1.beta",
    "ln2_gamma": "norm2.gamma",
    "ln2_beta": "norm2.beta",
    "W1": "mlp.w_in",
    "b1": "mlp.b_in",
    "W2": "mlp.w_out",
    "b2": "mlp.b_out",
}


def baby_groot(state: Mapping[str, Any]) -> Model:
    """The first seed's model from its own state: `transformer.attn.q.weight` and so on.

    Args:
        state: arrays by the seed's names; linear weights are `[out, in]`.

    Returns:
        The model, with the tokenizer of the 19 sentences where it has their 24 tokens.

    Raises:
        PellucidError: a name is missing, or a shape does not fit.
    """
    arrays: dict[str, Array] = {}
    for theirs, (weight, bias) in GROOT_LINEAR.items():
        arrays[weight] = take(state, f"{theirs}.weight").T
        arrays[bias] = take(state, f"{theirs}.bias")
    for theirs, ours in GROOT_PLAIN.items():
        arrays[ours] = take(state, theirs)
    vocab_size, n_embd = arrays["token_embedding"].shape
    config = preset("baby-groot").replace(
        vocab_size=vocab_size,
        block_size=len(arrays["position_embedding"]),
        n_embd=n_embd,
        d_mlp=len(arrays["blocks.0.mlp.b_in"]),
    )
    words = Tokenizer.words(GROOT)
    return Model(config, arrays, words if words.vocab_size == vocab_size else None)


def decoder_only_stack(params: Mapping[str, Any]) -> Model:
    """The second seed's model from its own dictionary: `tok_emb`, `blocks[i]["Wq"]`, …, `W_head`.

    Without a `W_head` the head is tied to `tok_emb`.

    Raises:
        PellucidError: a name is missing, or a shape does not fit.
    """
    blocks: Sequence[Mapping[str, Any]] = params.get("blocks", ())
    if not blocks:
        raise PellucidError('The parameters have no "blocks": a list with a dictionary for each.')
    tied = "W_head" not in params
    arrays = {ours: take(params, theirs) for theirs, ours in STACK_OUTER.items()}
    if not tied:
        arrays |= {ours: take(params, theirs) for theirs, ours in STACK_HEAD.items()}
    for i, block in enumerate(blocks):
        for theirs, ours in STACK_BLOCK.items():
            arrays[f"blocks.{i}.{ours}"] = take(block, theirs)
    vocab_size, n_embd = arrays["token_embedding"].shape
    config = stack_config(
        vocab_size=vocab_size,
        block_size=len(arrays["position_embedding"]),
        n_layer=len(blocks),
        n_embd=n_embd,
        n_head=int(take(blocks[0], "h")),
        d_mlp=len(arrays["blocks.0.mlp.b_in"]),
        tied_head=tied,
    )
    return Model(config, arrays)


def lesson_3(
    seed: int = 42,
    *,
    vocab_size: int = 24,
    block_size: int = 16,
    n_layer: int = 2,
    n_embd: int = 64,
    n_head: int = 4,
    tied_head: bool = False,
    dtype: str = "float64",
) -> tuple[Model, np.random.Generator]:
    """The third lesson's model, drawn as it draws it.

    Returns:
        The model, and the generator standing where the lesson draws its ids.

    Raises:
        PellucidError: the sizes do not add up.
    """
    config = stack_config(
        vocab_size=vocab_size,
        block_size=block_size,
        n_layer=n_layer,
        n_embd=n_embd,
        n_head=n_head,
        tied_head=tied_head,
    )
    rng = np.random.default_rng(seed)
    drawn = initialise(build_graph(config), scheme="lesson-3", rng=rng, dtype=dtype)
    if tied_head:
        # The lesson draws its head all the same, so that the ids that follow are the same.
        rng.standard_normal((n_embd, vocab_size))
    return Model(config, drawn), rng


def stack_config(**sizes: Any) -> ModelConfig:
    """The second seed's shape in these sizes; a tied head has no bias."""
    return preset("lesson-3").replace(**sizes, head_bias=not sizes["tied_head"])


def take(state: Mapping[str, Any], name: str) -> Array:
    """An entry by name, as an array."""
    if name not in state:
        raise PellucidError(f'The parameters lack "{name}".{did_you_mean(name, state)}')
    return np.asarray(state[name])
