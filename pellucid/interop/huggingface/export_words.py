"""Our config in every word that a family of `transformers` may have for it.

A family takes from these what its own reader asks for; what its reader then makes of them is the
test of whether it can say all of it.
"""

from __future__ import annotations

from math import ceil, inf, nextafter

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.rotary import RotaryScaling
from pellucid.interop.huggingface.family import Fields

ACTIVATIONS = {
    "relu": "relu",
    "relu_squared": "relu2",
    "gelu": "gelu",
    "gelu_tanh": "gelu_pytorch_tanh",
    "gelu_quick": "quick_gelu",
    "silu": "silu",
}
GPT2_ACTIVATIONS = {"gelu_tanh": "gelu_new"}
"""Other words for the same in GPT-2's kin."""
UNUSED_WINDOW = 256
"""The width of a window that no layer has."""


def in_their_words(config: ModelConfig) -> Fields:
    """Fields of a `config.json`, of all families together."""
    return {
        **sizes(config),
        **blocks(config),
        **biases(config),
        **factors(config),
        **windows(config),
        **positions(config),
        **falcon(config),
    }


def sizes(config: ModelConfig) -> Fields:
    """How many there are of each thing."""
    d_mlp, context = config.d_mlp, first_context(config)
    return {
        "vocab_size": config.vocab_size,
        "n_positions": context,
        "max_position_embeddings": context,
        "seq_length": context,
        "n_layer": config.n_layer,
        "num_hidden_layers": config.n_layer,
        "num_layers": config.n_layer,
        "n_head": config.n_head,
        "num_attention_heads": config.n_head,
        "num_heads": config.n_head,
        "num_key_value_heads": config.n_kv_head,
        "n_embd": config.n_embd,
        "hidden_size": config.n_embd,
        "word_embed_proj_dim": config.n_embd,
        "head_dim": config.d_head,
        # BLOOM has no word for another size than four times the stream's.
        "n_inner": None if d_mlp == 4 * config.n_embd else d_mlp,
        "intermediate_size": d_mlp,
        "ffn_dim": d_mlp,
        "ffn_hidden_size": d_mlp,
    }


def blocks(config: ModelConfig) -> Fields:
    """What a block is made of."""
    normalised = config.query_key_norm != "none"
    activation = ACTIVATIONS[config.activation]
    return {
        "layer_norm_epsilon": config.norm_epsilon,
        "layer_norm_eps": config.norm_epsilon,
        "rms_norm_eps": config.norm_epsilon,
        "norm_epsilon": config.norm_epsilon,
        "activation_function": GPT2_ACTIVATIONS.get(config.activation, activation),
        "hidden_act": activation,
        "hidden_activation": activation,
        "activation": activation,
        "use_parallel_residual": config.parallel_block,
        "do_layer_norm_before": config.norm_position == "pre",
        "_remove_final_layer_norm": config.norm_position == "pre" and not config.final_norm,
        "qk_layernorm": normalised,
        "use_qk_norm": normalised,
        "tie_word_embeddings": config.tied_head,
    }


def biases(config: ModelConfig) -> Fields:
    """Which linear maps have one."""
    return {
        "attention_bias": config.attention_bias,
        "use_qkv_bias": config.attention_bias,
        "mlp_bias": config.mlp_bias,
        "bias": config.mlp_bias,
        "use_bias": config.mlp_bias,
        "enable_bias": config.mlp_bias,
    }


def factors(config: ModelConfig) -> Fields:
    """By what things are multiplied, and where they are capped."""
    scale = config.attention_scale
    scale = config.d_head**-0.5 if scale is None else scale
    return {
        "scale_attn_weights": config.attention_scale is None,
        "attention_multiplier": scale,
        "query_pre_attn_scalar": max(1, round(scale**-2)),
        "embedding_multiplier": config.embedding_scale,
        "residual_multiplier": config.residual_multiplier,
        "logits_scaling": 1 / config.logit_multiplier,
        "logit_scale": config.logit_multiplier,
        "attn_logit_softcapping": config.attention_softcap,
        "final_logit_softcapping": config.logit_softcap,
    }


def windows(config: ModelConfig) -> Fields:
    """Which layers look through a window."""
    local = [config.window is not None] * config.n_layer
    if config.window_layers:
        local = list(config.window_layers)
    # Gemmas want the width of a window that no layer has.
    unused = UNUSED_WINDOW if config.norm_position == "sandwich" else None
    return {
        "sliding_window": config.window or unused,
        "use_sliding_window": config.window is not None,
        "layer_types": ["sliding_attention" if near else "full_attention" for near in local],
        "window_size": config.window or UNUSED_WINDOW,
        "attention_types": [[["local" if near else "global"], 1] for near in local],
    }


def positions(config: ModelConfig) -> Fields:
    """How rotary positions turn; nothing for others."""
    rotary, near = config.rotary, config.local_rotary
    if rotary is None:
        return {}
    dim = rotary.width(config.d_head)
    share = share_of(dim, config.d_head)
    turns = config.rotary_layers or (True,) * config.n_layer
    fields: Fields = {
        "rope_theta": rotary.base,
        "rotary_emb_base": rotary.base,
        "rope_local_base_freq": (near or rotary).base,
        "rotary_dim": dim,
        "rotary_pct": share,
        "partial_rotary_factor": share,
        "no_rope_layers": [int(turn) for turn in turns],
    }
    if rotary.scaling is None:
        return fields
    scaling = scaling_of(rotary.scaling)
    # Some families read the first context beside the scaling, and some within it.
    name = "original_max_position_embeddings"
    beside = {name: scaling[name]} if name in scaling else {}
    return {**fields, "rope_scaling": scaling, **beside}


def scaling_of(scaling: RotaryScaling) -> Fields:
    """Why and how positions are scaled."""
    kind = scaling.kind
    fields: Fields = {"rope_type": kind, "factor": scaling.factor}
    if kind in ("llama3", "yarn", "longrope"):
        fields["original_max_position_embeddings"] = scaling.original_block_size
    if kind == "llama3":
        fields["low_freq_factor"] = scaling.low_frequency_factor
        fields["high_freq_factor"] = scaling.high_frequency_factor
    if kind == "yarn":
        fields["beta_fast"] = scaling.beta_fast
        fields["beta_slow"] = scaling.beta_slow
        fields["truncate"] = scaling.truncate
    if kind == "yarn" and scaling.mscale and scaling.mscale_all_dim:
        fields["mscale"] = scaling.mscale
        fields["mscale_all_dim"] = scaling.mscale_all_dim
    if kind == "longrope":
        fields["short_factor"] = list(scaling.short_factors)
        fields["long_factor"] = list(scaling.long_factors)
    if scaling.attention_factor is not None:
        fields["attention_factor"] = scaling.attention_factor
    return fields


def falcon(config: ModelConfig) -> Fields:
    """Falcon's three kinds of block: the new one has two norms, or groups of heads."""
    grouped = config.n_kv_head not in (1, config.n_head)
    is_new = config.parallel_block and (grouped or not config.shared_norm)
    return {
        "new_decoder_architecture": is_new,
        "multi_query": config.n_kv_head == 1,
        "num_kv_heads": config.n_kv_head if is_new else config.n_head,
        "parallel_attn": config.parallel_block,
        "num_ln_in_parallel_attn": 2 if is_new and not config.shared_norm else 1,
    }


def first_context(config: ModelConfig) -> int:
    """The context as it stands in a file, whose scaling of positions may make it longer."""
    scaling = None if config.rotary is None else config.rotary.scaling
    if scaling is not None and scaling.kind == "linear":
        return ceil(config.block_size / scaling.factor)
    if scaling is not None and scaling.kind == "dynamic":
        return scaling.original_block_size
    return config.block_size


def share_of(dim: int, d_head: int) -> float:
    """The share of a head that comes to `dim` when it is multiplied out and rounded down."""
    share = dim / d_head
    return share if int(d_head * share) == dim else nextafter(share, inf)
