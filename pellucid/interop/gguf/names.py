"""Where GGUF files keep the arrays of a model, by our names of its modules.

Source: the tensor names of llama.cpp.
"""

from __future__ import annotations

from pellucid.decoder.config import ModelConfig
from pellucid.interop.huggingface.entries import Entry, Half, MoreByOne, Paired
from pellucid.interop.huggingface.family import fused

BLOCK = "blk.{i}."
STACK: dict[str, str | Entry] = {
    "token_embedding": "token_embd",
    "final_norm": "output_norm",
    "head": "output",
    "norm1": f"{BLOCK}attn_norm",
    "norm2": f"{BLOCK}ffn_norm",
    "attn.q": f"{BLOCK}attn_q",
    "attn.k": f"{BLOCK}attn_k",
    "attn.v": f"{BLOCK}attn_v",
    "attn.o": f"{BLOCK}attn_output",
    "attn.q_norm": f"{BLOCK}attn_q_norm",
    "attn.k_norm": f"{BLOCK}attn_k_norm",
    "mlp.gate": f"{BLOCK}ffn_gate",
    "mlp.in": f"{BLOCK}ffn_up",
    "mlp.out": f"{BLOCK}ffn_down",
}
PAIRED = STACK | {
    "attn.q": Paired(f"{BLOCK}attn_q", "n_head"),
    "attn.k": Paired(f"{BLOCK}attn_k", "n_kv_head"),
}
"""Llama's and its nearest kin's."""
GEMMA = STACK | {
    "final_norm": MoreByOne("output_norm"),
    "norm1": MoreByOne(f"{BLOCK}attn_norm"),
    "norm2": MoreByOne(f"{BLOCK}ffn_norm"),
}
GEMMA2 = GEMMA | {
    "norm1_post": MoreByOne(f"{BLOCK}post_attention_norm"),
    "norm2_post": MoreByOne(f"{BLOCK}post_ffw_norm"),
    "attn.q_norm": MoreByOne(f"{BLOCK}attn_q_norm"),
    "attn.k_norm": MoreByOne(f"{BLOCK}attn_k_norm"),
}
OLMO2 = STACK | {
    "norm1_post": f"{BLOCK}post_attention_norm",
    "norm2_post": f"{BLOCK}post_ffw_norm",
}
FUSED = STACK | fused(f"{BLOCK}attn_qkv")
"""Queries of all heads, then keys, then values, in one array."""


def falcon(config: ModelConfig) -> dict[str, str | Entry]:
    """Falcon's: of two norms the first is the feed-forward's."""
    if config.shared_norm:
        return FUSED
    return FUSED | {"norm1": f"{BLOCK}attn_norm_2", "norm2": f"{BLOCK}attn_norm"}


GPT2 = FUSED | {"position_embedding": "position_embd"}
BLOOM = FUSED | {"embed.norm": "token_embd_norm"}
PHI3 = FUSED | {"mlp.gate": Half(f"{BLOCK}ffn_up", 0), "mlp.in": Half(f"{BLOCK}ffn_up", 1)}
