"""Each field of a config is asked for, known to change nothing, or refused."""

import pytest

from pellucid.errors import PellucidError
from pellucid.interop.huggingface import read
from pellucid.interop.huggingface.settings import NEUTRAL, SAYS_NOTHING, Settings
from tests.interop.huggingface import tiny_models as tiny

PUBLISHED = {
    "gpt2": {
        "n_ctx": 64,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
        "summary_activation": None,
        "reorder_and_upcast_attn": True,
    },
    "gptj": {"rotary": True, "gradient_checkpointing": False, "tokenizer_class": "GPT2Tokenizer"},
    "gpt_neo": {"attention_layers": ["global", "local", "local"], "embed_dropout": 0},
    "opt": {"activation_dropout": 0.0, "prefix": "</s>", "layerdrop": 0.0},
    "bloom": {
        "masked_softmax_fusion": True,
        "n_inner": None,
        "offset_alibi": 100,
        "pretraining_tp": 2,
        "skip_bias_add": True,
        "skip_bias_add_qkv": False,
        "unk_token_id": 0,
        "seq_length": 2048,
    },
    "falcon": {
        "apply_residual_connection_post_layernorm": False,
        "auto_map": {
            "AutoConfig": "configuration_falcon.FalconConfig",
            "AutoModelForCausalLM": "modeling_falcon.FalconForCausalLM",
        },
    },
    "falcon, new": {"num_ln_in_parallel_attn": None},
    "gpt_bigcode": {"inference_runner": 0, "pad_key_length": True, "validate_runner_input": True},
    "starcoder2": {"mlp_type": "default", "norm_type": "layer_norm"},
    "llama": {"is_llama_config": True, "rope_interleaved": False, "transformers.js_config": {}},
    "qwen2": {"use_mrope": False, "max_window_layers": 21, "sliding_window": 32768},
    "gemma": {"hidden_activation": None},
    "gemma2": {"cache_implementation": "hybrid", "hidden_act": "gelu_pytorch_tanh"},
    "gemma3_text": {"cache_implementation": "hybrid", "torch_dtype": "bfloat16"},
    "phi3": {"full_attn_mod": 1, "interpolate_factor": 1, "lm_head_bias": False},
    "smollm3": {"max_window_layers": 28, "pretraining_tp": 2},
    "cohere": {"model_max_length": 131072},
}
"""Fields that folders of these families have on the model hubs, beside those that decide."""


@pytest.mark.parametrize("family", PUBLISHED)
def test_fields_that_published_folders_have(family, tmp_path):
    tiny.make(family, tmp_path)
    model, fields = read(tmp_path), tiny.config_of(tmp_path)
    tiny.write_config(tmp_path, fields | PUBLISHED[family])
    assert read(tmp_path).config == model.config


@pytest.mark.parametrize(
    ("family", "change"),
    [
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}),
        ("gptj", {"scale_attn_weights": False}),
        ("gpt_neo", {"attention_types": [[["global", "sparse"], 2]]}),
        ("gpt_neo", {"attention_types": [[["global"], 1]]}),
        ("gpt_neo", {"attention_types": 3}),
        ("gpt_bigcode", {"num_key_value_heads": 2}),
        ("opt", {"word_embed_proj_dim": 16}),
        ("opt", {"layer_norm_elementwise_affine": False}),
        ("bloom", {"apply_residual_connection_post_layernorm": True}),
        ("falcon", {"alibi": True}),
        ("falcon", {"num_ln_in_parallel_attn": 2}),
        ("falcon, new", {"parallel_attn": False}),
        ("falcon, many key heads", {"num_kv_heads": 2}),
        ("starcoder2", {"norm_type": "rms"}),
        ("llama", {"rope_interleaved": True}),
        ("qwen2", {"use_mrope": True}),
        ("qwen2", {"layer_types": ["chunked_attention"] * 3}),
        ("qwen2", {"layer_types": ["full_attention"] * 2}),
        ("qwen2", {"layer_types": ["sliding_attention"] * 3}),
        ("gemma", {"use_bidirectional_attention": True}),
        ("gemma3_text", {"attn_logit_softcapping": 30.0}),
        ("gemma3_text", {"rope_parameters": {"chunked_attention": {}}}),
        ("gemma2", {"sliding_window_size": 77}),
        ("phi3", {"lm_head_bias": True}),
        ("smollm3", {"no_rope_layers": [1, 2, 1, 1, 0]}),
        ("smollm3", {"no_rope_layers": [1, 0]}),
    ],
)
def test_what_a_family_can_say_and_is_not_honoured(family, change, tmp_path):
    tiny.make(family, tmp_path)
    tiny.write_config(tmp_path, tiny.config_of(tmp_path) | change)
    with pytest.raises(PellucidError) as caught:
        read(tmp_path)
    name = next(iter(change))
    assert name in str(caught.value)
    assert "is not honoured" in str(caught.value)


def test_a_field_that_nobody_asked_for_is_named():
    settings = Settings({"a": 1, "b": 2, "c": None})
    assert settings("a") == 1
    with pytest.raises(PellucidError, match="b=2 is not honoured: this program does not know"):
        settings.done()
    assert settings("b") == 2
    settings.done()


def test_null_is_as_if_it_were_not_there():
    settings = Settings({"a": None})
    assert settings("a", 3) == 3
    with pytest.raises(PellucidError, match="a is missing"):
        settings("a")
    settings.done()


def test_true_is_not_one():
    Settings({"a": 1}).only("a", 1)
    with pytest.raises(PellucidError, match="a=True is not honoured"):
        Settings({"a": True}).only("a", 1)
    with pytest.raises(PellucidError, match="a=1 is not honoured: it is neither true nor false"):
        Settings({"a": 1}).flag("a")
    with pytest.raises(PellucidError, match="a=True is not honoured: it is not a number"):
        Settings({"a": True}).number("a")


def test_a_long_value_is_quoted_in_part():
    with pytest.raises(PellucidError) as caught:
        Settings({"a": "x" * 10_000}).only("a")
    assert len(str(caught.value)) < 200


def test_no_field_is_both_of_no_meaning_and_held_to_a_value():
    assert not SAYS_NOTHING & NEUTRAL.keys()


@pytest.mark.parametrize("case", ["qwen2", "gemma2", "gemma3_text", "gpt_neo"])
def test_layers_are_counted_before_anything_is_said_of_each(tmp_path, case):
    tiny.make(next(known for known in tiny.CASES if known.split(",")[0] == case), tmp_path)
    fields = tiny.config_of(tmp_path)
    name = next(n for n in ("num_hidden_layers", "num_layers") if n in fields)
    for claimed in (1001, 2**31, 10**30):
        tiny.write_config(tmp_path, fields | {name: claimed})
        with pytest.raises(PellucidError, match=f"={claimed} is not honoured: it is more than"):
            read(tmp_path)
