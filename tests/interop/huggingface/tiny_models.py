"""Tiny models of every family, made and saved by `transformers`, and what it computes with them."""

import contextlib
import json
from unittest import mock

import numpy as np
import torch
import transformers

VOCAB = 61
CONTEXT = 64

SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": CONTEXT,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
GPT2_SIZES = {
    "vocab_size": VOCAB,
    "n_embd": 32,
    "n_layer": 3,
    "n_head": 4,
    "n_positions": CONTEXT,
    "bos_token_id": None,
    "eos_token_id": None,
}
NEO_SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "num_layers": 3,
    "num_heads": 4,
    "max_position_embeddings": CONTEXT,
    "bos_token_id": None,
    "eos_token_id": None,
}
OPT_SIZES = {name: size for name, size in SIZES.items() if name != "intermediate_size"} | {
    "ffn_dim": 48,
    "word_embed_proj_dim": 32,
}
BLOOM_SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "n_layer": 3,
    "n_head": 4,
    "bos_token_id": None,
    "eos_token_id": None,
}
FALCON_SIZES = {name: size for name, size in SIZES.items() if name != "intermediate_size"}

GROUPED = {"num_key_value_heads": 2}
EACH_ITS_KEY_HEAD = {"num_key_value_heads": 4}
ONE_KEY_HEAD = {"num_key_value_heads": 1}
TIED, UNTIED = {"tie_word_embeddings": True}, {"tie_word_embeddings": False}
THETA = {"rope_theta": 10_000.0}


def scaled(kind, **fields):
    """Rotary positions scaled in one of the ways there are."""
    return {"rope_parameters": {"rope_type": kind, **THETA, **fields}}


LINEAR = scaled("linear", factor=4.0)
DYNAMIC = scaled("dynamic", factor=4.0)
YARN = scaled("yarn", factor=4.0, original_max_position_embeddings=CONTEXT)
LLAMA3 = scaled(
    "llama3",
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=16,
)
LONGROPE = scaled(
    "longrope",
    factor=4.0,
    original_max_position_embeddings=16,
    short_factor=[1.0, 1.1, 1.2, 1.5],
    long_factor=[1.5, 2.0, 3.0, 4.0],
)

CASES = {
    "gpt2": ("GPT2", GPT2_SIZES, {}),
    "gpt2, untied, unscaled": ("GPT2", GPT2_SIZES, {**UNTIED, "scale_attn_weights": False}),
    "gpt2, narrow": ("GPT2", GPT2_SIZES, {"n_inner": 20, "activation_function": "relu"}),
    "gpt_bigcode": ("GPTBigCode", GPT2_SIZES, {}),
    "gpt_bigcode, many key heads": ("GPTBigCode", GPT2_SIZES, {"multi_query": False, **UNTIED}),
    "gpt_neo": (
        "GPTNeo",
        NEO_SIZES,
        {"attention_types": [[["global", "local", "local"], 1]], "window_size": 5},
    ),
    "gpt_neo, no window": ("GPTNeo", NEO_SIZES, {"attention_types": [[["global"], 3]], **UNTIED}),
    "gptj": ("GPTJ", GPT2_SIZES, {"rotary_dim": 4}),
    "gptj, tied, whole heads": ("GPTJ", GPT2_SIZES, {"rotary_dim": 8, **TIED}),
    "gpt_neox": ("GPTNeoX", SIZES, {}),
    "gpt_neox, in sequence": (
        "GPTNeoX",
        SIZES,
        {"use_parallel_residual": False, "attention_bias": False, "hidden_act": "gelu_new", **TIED},
    ),
    "gpt_neox, linear": (
        "GPTNeoX",
        SIZES,
        {"rope_parameters": LINEAR["rope_parameters"] | {"partial_rotary_factor": 0.5}},
    ),
    "opt": ("OPT", OPT_SIZES, {}),
    "opt, post norm, untied": (
        "OPT",
        OPT_SIZES,
        {"do_layer_norm_before": False, "enable_bias": False, **UNTIED},
    ),
    "bloom": ("Bloom", BLOOM_SIZES, {}),
    "bloom, six heads, untied": ("Bloom", BLOOM_SIZES, {"hidden_size": 48, "n_head": 6, **UNTIED}),
    "falcon": ("Falcon", FALCON_SIZES, {}),
    "falcon, many key heads": ("Falcon", FALCON_SIZES, {"multi_query": False, "bias": True}),
    "falcon, in sequence": ("Falcon", FALCON_SIZES, {"parallel_attn": False, **UNTIED}),
    "falcon, new": (
        "Falcon",
        FALCON_SIZES,
        {"new_decoder_architecture": True, "num_kv_heads": 2, **DYNAMIC},
    ),
    "falcon, new, one norm": (
        "Falcon",
        FALCON_SIZES,
        {"new_decoder_architecture": True, "num_kv_heads": 4, "num_ln_in_parallel_attn": 1},
    ),
    "starcoder2": ("Starcoder2", SIZES, {**GROUPED, "sliding_window": 7}),
    "starcoder2, no biases": (
        "Starcoder2",
        SIZES,
        {**ONE_KEY_HEAD, "use_bias": False, "sliding_window": None, **UNTIED},
    ),
    "phi": ("Phi", SIZES, {}),
    "phi, grouped, normalised": ("Phi", SIZES, {**GROUPED, "qk_layernorm": True, **TIED}),
    "phi3": ("Phi3", SIZES, {**GROUPED, "sliding_window": 7}),
    "phi3, longrope": (
        "Phi3",
        SIZES,
        {**LONGROPE, **TIED, "original_max_position_embeddings": 16},
    ),
    "phi3, partial": (
        "Phi3",
        SIZES,
        {"rope_parameters": {"rope_type": "default", **THETA, "partial_rotary_factor": 0.5}},
    ),
    "llama": ("Llama", SIZES, {}),
    "llama, grouped, biases, tied": (
        "Llama",
        SIZES,
        {**GROUPED, **TIED, "attention_bias": True, "mlp_bias": True},
    ),
    "llama, wide heads": ("Llama", SIZES, {**ONE_KEY_HEAD, "head_dim": 12}),
    "llama, linear": ("Llama", SIZES, {**GROUPED, **LINEAR}),
    "llama, dynamic": ("Llama", SIZES, {**GROUPED, **DYNAMIC}),
    "llama, yarn": ("Llama", SIZES, {**GROUPED, **YARN}),
    "llama, yarn, mscale": (
        "Llama",
        SIZES,
        scaled(
            "yarn",
            factor=4.0,
            original_max_position_embeddings=16,
            beta_fast=16.0,
            beta_slow=2.0,
            mscale=0.7,
            mscale_all_dim=1.2,
            truncate=False,
        ),
    ),
    "llama, llama3": ("Llama", SIZES | {"max_position_embeddings": 128}, {**GROUPED, **LLAMA3}),
    "llama, longrope": ("Llama", SIZES, LONGROPE),
    "mistral": ("Mistral", SIZES, {**GROUPED, "sliding_window": 6}),
    "mistral, no window": (
        "Mistral",
        SIZES,
        {**EACH_ITS_KEY_HEAD, "sliding_window": None, "head_dim": 16, **TIED},
    ),
    "qwen2": ("Qwen2", SIZES, {**GROUPED}),
    "qwen2, windows above": (
        "Qwen2",
        SIZES,
        {
            **EACH_ITS_KEY_HEAD,
            **TIED,
            **YARN,
            "use_sliding_window": True,
            "sliding_window": 5,
            "max_window_layers": 1,
        },
    ),
    "qwen3": ("Qwen3", SIZES, {**GROUPED, "head_dim": 12}),
    "qwen3, windows, biases": (
        "Qwen3",
        SIZES,
        {
            **EACH_ITS_KEY_HEAD,
            **TIED,
            "attention_bias": True,
            "head_dim": 8,
            "use_sliding_window": True,
            "sliding_window": 5,
            "max_window_layers": 2,
        },
    ),
    "gemma": ("Gemma", SIZES, {**ONE_KEY_HEAD, "head_dim": 12}),
    "gemma, biases, untied": (
        "Gemma",
        SIZES,
        {**EACH_ITS_KEY_HEAD, "head_dim": 8, "attention_bias": True, **UNTIED},
    ),
    "gemma2": (
        "Gemma2",
        SIZES,
        {**GROUPED, "head_dim": 8, "sliding_window": 5, "query_pre_attn_scalar": 20},
    ),
    "gemma2, low caps": (
        "Gemma2",
        SIZES,
        {
            "head_dim": 12,
            "attn_logit_softcapping": 2.0,
            "final_logit_softcapping": 3.0,
            "attention_bias": True,
            **UNTIED,
        },
    ),
    "gemma2, no caps": (
        "Gemma2",
        SIZES,
        {"head_dim": 8, "attn_logit_softcapping": None, "final_logit_softcapping": None},
    ),
    "gemma3_text": (
        "Gemma3Text",
        SIZES | {"num_hidden_layers": 7},
        {**ONE_KEY_HEAD, "head_dim": 8, "sliding_window": 5},
    ),
    "gemma3_text, scaled": (
        "Gemma3Text",
        SIZES,
        {
            "head_dim": 12,
            "sliding_window": 4,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 5e4},
                "sliding_attention": {"rope_type": "default", "rope_theta": 2e3},
            },
            "final_logit_softcapping": 5.0,
            **UNTIED,
        },
    ),
    "olmo2": ("Olmo2", SIZES, {**GROUPED}),
    "olmo2, biases, tied": ("Olmo2", SIZES, {"attention_bias": True, **TIED, **LINEAR}),
    "stablelm": ("StableLm", SIZES, {**GROUPED}),
    "stablelm, parallel, normalised": (
        "StableLm",
        SIZES,
        {
            **GROUPED,
            "use_parallel_residual": True,
            "qk_layernorm": True,
            "use_qkv_bias": True,
            **TIED,
        },
    ),
    "smollm3": ("SmolLM3", SIZES | {"num_hidden_layers": 5}, {**GROUPED}),
    "smollm3, windows, biases": (
        "SmolLM3",
        SIZES,
        {
            "no_rope_layers": [1, 0, 1],
            "use_sliding_window": True,
            "sliding_window": 5,
            "attention_bias": True,
            "mlp_bias": True,
            **UNTIED,
        },
    ),
    "granite": (
        "Granite",
        SIZES,
        {
            **GROUPED,
            "embedding_multiplier": 3.0,
            "attention_multiplier": 0.2,
            "residual_multiplier": 0.5,
            "logits_scaling": 4.0,
        },
    ),
    "granite, biases, tied": ("Granite", SIZES, {"attention_bias": True, "mlp_bias": True, **TIED}),
    "cohere": ("Cohere", SIZES, {**GROUPED}),
    "cohere, normalised, untied": (
        "Cohere",
        SIZES,
        {"use_qk_norm": True, "attention_bias": True, "logit_scale": 0.5, **GROUPED, **UNTIED},
    ),
}
"""A class of configs in `transformers`, the sizes in its words, and what else it says."""


KINDS = {"linear": LINEAR, "dynamic": DYNAMIC, "yarn": YARN, "llama3": LLAMA3, "longrope": LONGROPE}
TURNING = (
    *("gpt_neox", "falcon", "starcoder2", "phi", "mistral", "qwen2", "qwen3", "gemma", "gemma2"),
    *("gemma3_text", "olmo2", "stablelm", "smollm3", "granite", "cohere"),
)
"""Families whose rotary positions may be scaled in any way: all but GPT-J, Phi-3, and Llama, whose
cases have them."""


def scaled_case(family, kind):
    """A case of a family, its positions scaled: in heads of 16 numbers."""
    name, sizes, options = CASES[family]
    whole = {**sizes, **options, "num_attention_heads": 2}
    changes = {"num_key_value_heads": 1, "head_dim": 16}
    whole |= {field: value for field, value in changes.items() if field in options}
    if kind == "llama3":
        whole["max_position_embeddings"] = 8 * KINDS[kind]["rope_parameters"][ORIGINAL]
    plain = getattr(transformers, f"{name}Config")(**whole).rope_parameters
    layers = plain if "rope_theta" not in plain else {"": plain}
    turned = {layer: scaled_as(kind, usual) for layer, usual in layers.items()}
    return name, whole, {"rope_parameters": turned.get("", turned)}


ORIGINAL = "original_max_position_embeddings"


def scaled_as(kind, usual):
    """A family's own rotary parameters, scaled."""
    fields = {**KINDS[kind]["rope_parameters"], "rope_theta": usual["rope_theta"]}
    share = usual.get("partial_rotary_factor", 1.0)
    if share != 1:
        fields["partial_rotary_factor"] = share
    for name in ("short_factor", "long_factor"):
        if name in fields:
            # A factor for each pair of numbers that turn.
            fields[name] = (fields[name] * 2)[: int(16 * share) // 2]
    return fields


def make(name, folder, *, dtype=torch.float32, seed=0):
    """Save a model of that case with random weights, and return it."""
    return make_case(CASES[name], folder, dtype=dtype, seed=seed)


def make_case(case, folder, *, dtype=torch.float32, seed=0):
    """The same, of a case that has no name."""
    family, sizes, options = case
    torch.manual_seed(seed)
    config = getattr(transformers, f"{family}Config")(**{**sizes, **options})
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    randomise(model, seed)
    model.to(dtype).save_pretrained(folder)
    return model


def randomise(model, seed):
    """Numbers large enough that nothing is nearly linear, zero or one."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() > 1:
                parameter.copy_(0.2 * noise)
            else:
                parameter.add_(0.3 * noise)


@contextlib.contextmanager
def in_float64():
    """Have `transformers` compute in float64 throughout: it asks for float32 in many places."""
    with (
        mock.patch.object(torch, "float32", torch.float64),
        mock.patch.object(torch, "float", torch.float64),
        mock.patch.object(torch.Tensor, "float", torch.Tensor.double),
    ):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


def reopened(folder):
    """What `transformers` opens, computing in float32."""
    return transformers.AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32
    ).eval()


def doubled(model):
    """The same model in float64, its tables of angles too."""
    with in_float64():
        wide = (
            type(model)
            ._from_config(model.config, attn_implementation="eager", dtype=torch.float64)
            .eval()
        )
    wide.load_state_dict({name: tensor.double() for name, tensor in model.state_dict().items()})
    return wide


def logits_of(model, ids, *, double=False):
    """Its logits, [batch, position, vocab]."""
    with torch.inference_mode(), in_float64() if double else contextlib.nullcontext():
        return model(torch.tensor(ids), use_cache=False).logits.numpy()


def config_of(folder):
    return json.loads((folder / "config.json").read_text())


def filled_in(fields):
    """What `transformers` makes of the fields of a `config.json`, or None where that is nothing."""
    kind = transformers.AutoConfig.for_model(fields["model_type"]).__class__
    try:
        return kind.from_dict(json.loads(json.dumps(fields))).to_dict()
    except Exception:  # Each version has errors of its own for what lacks.
        return None


def write_config(folder, fields):
    (folder / "config.json").write_text(json.dumps(fields))


def greedy(model, ids, count, *, double=False):
    """The ids that `generate` adds to these, [batch, count], with its cache."""
    with torch.inference_mode(), in_float64() if double else contextlib.nullcontext():
        given = torch.tensor(ids)
        whole = model.generate(
            given,
            attention_mask=torch.ones_like(given),
            do_sample=False,
            max_new_tokens=count,
            pad_token_id=0,
        )
    return whole[:, ids.shape[1] :].tolist()


def after_blocks(model, ids):
    """What each block hands on, [batch, position, d_model], first block first."""
    stacks = [
        module for name, module in model.named_modules() if name.split(".")[-1] in ("h", "layers")
    ]
    found = []

    def keep(module, given, output):
        found.append((output[0] if isinstance(output, tuple) else output).numpy())

    hooks = [block.register_forward_hook(keep) for block in stacks[0]]
    logits_of(model, ids)
    for hook in hooks:
        hook.remove()
    return found


def random_ids(batch, positions, seed=1):
    return np.random.default_rng(seed).integers(0, VOCAB, (batch, positions))
