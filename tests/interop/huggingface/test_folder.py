"""A folder of another program: what its config says is honoured or refused by name, never run."""

import json
import random

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

import pellucid
from pellucid.errors import PellucidError
from pellucid.interop.huggingface import read
from pellucid.ops.half import HalfMatrix
from tests.interop.huggingface import tiny_models as tiny


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A Llama and what it is made of: its fields, its arrays."""
    folder = tmp_path_factory.mktemp("llama")
    tiny.make("llama, grouped, biases, tied", folder)
    return tiny.config_of(folder), load_file(folder / "model.safetensors")


@pytest.fixture
def folder(saved, tmp_path):
    return rewritten(tmp_path, *saved)


def rewritten(folder, fields, arrays):
    tiny.write_config(folder, fields)
    save_file(arrays, folder / "model.safetensors")
    return folder


def refused(folder, **options):
    with pytest.raises(PellucidError) as caught:
        read(folder, **options)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)
    return str(caught.value)


# What is opened


def test_load_opens_it_and_everything_works_on_it(folder):
    model = pellucid.load(folder)
    ids = tiny.random_ids(1, 6)
    assert np.array_equal(model.logits(ids), read(folder).logits(ids))
    back = model.trace(ids=ids[0].tolist(), target=3)
    assert back.check().holds
    assert back.explain("logits[position=-1,vocab=3]").value == back["logits"].values[-1, 3]


def test_saved_as_one_of_ours_it_is_the_same_model(folder, tmp_path):
    model = pellucid.load(folder)
    again = pellucid.load(model.save(tmp_path / "ours"))
    assert again.config == model.config
    for name, array in model.parameters.items():
        assert np.array_equal(again.parameters[name], array)


def test_weights_of_32_bits_stay_in_their_file(folder):
    model = read(folder)
    for array in model.parameters.values():
        assert not array.flags.writeable
        base = array
        while isinstance(base, np.ndarray) and base.base is not None:
            base = base.base
        assert type(base).__name__ == "mmap"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_numbers_of_16_bits_are_widened_exactly(dtype, tmp_path):
    tiny.make("llama, grouped, biases, tied", tmp_path, dtype=getattr(torch, dtype))
    once, on_use = read(tmp_path), read(tmp_path, widen="on use")
    assert once.dtype == on_use.dtype == "float32"
    ids = tiny.random_ids(2, 9)
    want = tiny.logits_of(tiny.reopened(tmp_path), ids)
    for model in (once, on_use):
        assert np.abs(model.logits(ids) - want).max() <= 1e-4 * np.abs(want).max()
    assert isinstance(on_use.engine.parameters["blocks.0.attn.w_q"], HalfMatrix)
    for name, array in once.parameters.items():
        assert np.array_equal(on_use.parameters[name], array)
    back = on_use.trace(ids=[1, 2, 3], target=5)
    assert back.check().holds


def test_widening_by_a_word_that_is_unknown(folder):
    with pytest.raises(PellucidError, match="neither of once, on use"):
        read(folder, widen="never")
    with pytest.raises(PellucidError, match="leave"):
        read(folder, widen="on use", dtype="float64")


def test_an_embedding_may_be_stored_again_as_the_tied_head(folder, saved):
    fields, arrays = saved
    table = arrays["model.embed_tokens.weight"]
    rewritten(folder, fields, {**arrays, "lm_head.weight": table})
    assert read(folder).config.tied_head
    rewritten(folder, fields, {**arrays, "lm_head.weight": table + 1})
    assert "lm_head.weight is another matrix" in refused(folder)


def test_a_tokenizer_comes_with_it(folder):
    from tests.small_models import WORDS

    WORDS.save(folder / "tokenizer.json")
    model = read(folder)
    assert model.tokenizer is not None
    assert model.trace("oak ash").tokens == ("<START>", "oak", "ash")


def test_masks_and_tables_of_angles_are_no_parameters(folder, saved):
    fields, arrays = saved
    others = {
        "model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(4, np.float32),
        "model.layers.1.self_attn.masked_bias": np.array(-1e4, np.float32),
        "model.layers.1.self_attn.bias": np.ones((1, 1, 8, 8), np.bool_),
    }
    rewritten(folder, fields, {**arrays, **others})
    read(folder)


def test_a_stack_saved_without_its_head(folder, saved):
    fields, arrays = saved
    bare = {name.removeprefix("model."): array for name, array in arrays.items()}
    ids = tiny.random_ids(1, 5)
    want = read(folder).logits(ids)
    assert np.array_equal(read(rewritten(folder, fields, bare)).logits(ids), want)


# What is refused


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "mamba"}, "model_type='mamba' is a family that cannot be read"),
        ({"model_type": "lama"}, "Did you mean llama"),
        ({"model_type": ["llama"]}, "family that cannot be read"),
        ({"model_type": None}, "family that cannot be read"),
        ({"some_new_field": 3}, "some_new_field=3 is not honoured"),
        ({"use_bias": False}, "use_bias=False is not honoured"),
        ({"hidden_act": "mish"}, "hidden_act='mish' is not honoured"),
        ({"hidden_act": ["silu"]}, "is not honoured"),
        ({"num_hidden_layers": "3"}, "num_hidden_layers='3' is not honoured"),
        ({"num_hidden_layers": -1}, "num_hidden_layers=-1 is not honoured"),
        ({"num_hidden_layers": 10**9}, "it is more than 1000"),
        ({"num_hidden_layers": True}, "not a positive whole number"),
        ({"num_attention_heads": 5}, "n_head=5"),
        ({"vocab_size": 10**12}, "token_embedding is [61, 32] in the weights"),
        ({"max_position_embeddings": None, "hidden_size": None}, "hidden_size is missing"),
        ({"rms_norm_eps": "small"}, "rms_norm_eps='small' is not honoured"),
        ({"tie_word_embeddings": 1}, "tie_word_embeddings=1 is not honoured"),
        ({"tie_word_embeddings": False}, "lacks lm_head.weight"),
        ({"num_hidden_layers": 4}, "lacks model.layers.3."),
        ({"num_hidden_layers": 2}, "has no place in this model"),
        ({"attention_bias": False}, "has no place in this model"),
        ({"quantization_config": {"bits": 4}}, "quantization_config"),
        ({"is_encoder_decoder": True}, "is_encoder_decoder=True is not honoured"),
        ({"auto_map": {"AutoModelForCausalLM": "evil.Evil"}}, "auto_map names code"),
        ({"auto_map": {"AutoConfig": "evil.Config"}}, "auto_map names code"),
        ({"auto_map": "evil.Evil"}, "auto_map names code"),
        ({"rope_parameters": {"rope_type": "spiral"}}, "rope_type='spiral' is not honoured"),
        ({"rope_parameters": {"rope_type": "linear"}}, "rope_parameters.factor is missing"),
        ({"rope_parameters": {"rope_type": "default", "twist": 2}}, "rope_parameters.twist=2"),
        ({"rope_parameters": [1]}, "rope_parameters is not honoured"),
        ({"rope_parameters": {"rope_theta": "big"}}, "rope_theta='big' is not honoured"),
        ({"rope_parameters": {"rope_type": "linear", "factor": -1.0}}, "factor"),
    ],
)
def test_configs_that_are_not_honoured(folder, saved, change, said):
    tiny.write_config(folder, saved[0] | change)
    assert said in refused(folder)


def test_a_copy_of_the_familys_own_code_beside_the_weights_is_left_alone(folder, saved):
    own = {"AutoModelForCausalLM": "modeling_llama.LlamaForCausalLM"}
    tiny.write_config(folder, saved[0] | {"auto_map": own})
    (folder / "modeling_llama.py").write_text("raise SystemExit('this was run')")
    read(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '{"model_type": "llama"', "\ufeff{}"])
def test_a_config_that_is_no_json(folder, text):
    (folder / "config.json").write_text(text)
    refused(folder)
    with pytest.raises(PellucidError):
        pellucid.load(folder)


def test_deep_json_ends_in_words(folder):
    (folder / "config.json").write_text('{"model_type":' * 100_000)
    refused(folder)
    with pytest.raises(PellucidError):
        pellucid.load(folder)


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("model.norm.weight", np.ones(31, np.float32), "final_norm.gamma is [31]"),
        ("model.norm.weight", np.ones((32, 1), np.float32), "final_norm.gamma is [32, 1]"),
        ("model.norm.weight", np.ones(32, np.int32), "int32"),
        ("model.norm.weight", np.array(1, np.float32), "no matrix"),
        ("model.layers.0.self_attn.q_proj.weight", np.ones(32, np.float32), "no matrix"),
        ("model.layers.0.self_attn.q_proj.weight", np.ones((32, 31), np.float32), "w_q is"),
        ("model.layers.0.self_attn.extra", np.ones(3, np.float32), "extra, which has no place"),
        ("score.weight", np.ones((2, 32), np.float32), "score.weight, which has no place"),
    ],
)
def test_arrays_that_do_not_fit(folder, saved, name, array, said):
    fields, arrays = saved
    rewritten(folder, fields, {**arrays, name: array})
    with pytest.raises(PellucidError) as caught:
        read(folder)
    assert said in str(caught.value)


def test_each_missing_array_is_named(folder, saved):
    fields, arrays = saved
    for name in arrays:
        rewritten(folder, fields, {other: arrays[other] for other in arrays if other != name})
        assert f"lacks {name}" in refused(folder)


def test_whatever_a_config_says_it_ends_in_words_or_a_model(folder, saved):
    """Fields are taken away, and given values of other types and sizes."""
    fields = saved[0]
    values = [None, True, -1, 0, 7, 1.5, 10**30, float("1e300"), "x", "", [], [1], {}, {"a": 1}]
    rng = random.Random(0)
    opened = 0
    for _ in range(400):
        changed = dict(fields)
        for name in rng.sample(sorted(fields), rng.randint(1, 3)):
            changed[name] = rng.choice(values)
        (folder / "config.json").write_text(json.dumps(changed))
        try:
            read(folder)
            opened += 1
        except PellucidError:
            pass
    assert 0 < opened < 200
