"""Each architecture's files compute what `transformers` computes with the same numbers."""

import gguf
import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop.gguf.architectures import ARCHITECTURES
from pellucid.interop.gguf.file import read
from pellucid.interop.gguf.words import shortest
from tests.interop.gguf import tiny_files
from tests.interop.huggingface import tiny_models as tiny


def linear(writer, config):
    writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    writer.add_rope_scaling_factor(config.rope_parameters["factor"])


def yarn(writer, config):
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(config.rope_parameters["factor"])
    writer.add_rope_scaling_orig_ctx_len(config.rope_parameters["original_max_position_embeddings"])


def of_granite(writer, config):
    writer.add_attention_scale(config.attention_multiplier)
    writer.add_embedding_scale(config.embedding_multiplier)
    writer.add_residual_scale(config.residual_multiplier)
    writer.add_logit_scale(config.logits_scaling)


def of_gemma(writer, config):
    """What Gemma 2 and 3 say; of the two caps the third has none."""
    writer.add_sliding_window(config.sliding_window)
    if config.attn_logit_softcapping is not None:
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
    if config.final_logit_softcapping is not None:
        writer.add_final_logit_softcapping(config.final_logit_softcapping)


def of_gemma3(writer, config):
    of_gemma(writer, config)
    far = config.rope_parameters["full_attention"]
    writer.add_rope_freq_base(far["rope_theta"])
    writer.add_rope_freq_base_swa(config.rope_parameters["sliding_attention"]["rope_theta"])
    if far["rope_type"] == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(far["factor"])


def of_stablelm(writer, config):
    size = config.hidden_size // config.num_attention_heads
    share = config.rope_parameters["partial_rotary_factor"]
    writer.add_rope_dimension_count(int(size * share))
    writer.add_parallel_residual(config.use_parallel_residual)


def of_cohere(writer, config):
    writer.add_logit_scale(config.logit_scale)
    writer.add_rope_scaling_type(gguf.RopeScalingType.NONE)


def gains(arrays, config):
    """Gemma's norms, as what is multiplied by."""
    return {name: a + 1 if name.endswith("norm.weight") else a for name, a in arrays.items()}


def outward(arrays, config):
    """GPT-2's linear maps, as all others are kept."""
    return {
        name: a.T if ".c_" in name and name.endswith("weight") else a for name, a in arrays.items()
    }


def heads_together(arrays, config):
    """StableLM's norms of heads, laid together."""
    found = {name: a for name, a in arrays.items() if ".norms." not in name}
    for i in range(config.num_hidden_layers):
        counts = {"q": config.num_attention_heads, "k": config.num_key_value_heads}
        for part, count in counts.items():
            path = f"model.layers.{i}.self_attn.{part}_layernorm"
            if f"{path}.norms.0.weight" in arrays:
                each = [arrays[f"{path}.norms.{j}.weight"] for j in range(count)]
                found[f"{path}.weight"] = np.stack(each)
    return found


def queries_first(arrays, config):
    """Fused arrays, which lie head by head: all queries, then all keys, then all values."""

    def moved(array):
        heads = array.reshape(config.num_attention_heads, 3, -1, *array.shape[1:])
        return heads.swapaxes(0, 1).reshape(array.shape)

    # The library knows a BLOOM's arrays without the name of its stack.
    return {
        name.removeprefix("transformer."): moved(array) if "query_key_value" in name else array
        for name, array in arrays.items()
    }


def queries_of_groups_first(arrays, config):
    """Falcon's fused arrays, whose heads lie group by group with their key and value behind."""
    heads = config.num_attention_heads
    groups = config.num_kv_heads if config.new_decoder_architecture or not config.multi_query else 1

    def moved(array):
        grouped = array.reshape(groups, heads // groups + 2, -1, *array.shape[1:])
        parts = grouped[:, :-2], grouped[:, -2], grouped[:, -1]
        return np.concatenate([part.reshape(-1, *array.shape[1:]) for part in parts])

    return {
        name: moved(array) if "query_key_value" in name else array for name, array in arrays.items()
    }


def of_falcon(writer, config):
    is_new = config.new_decoder_architecture
    writer.add_head_count_kv(config.num_kv_heads if is_new or not config.multi_query else 1)
    writer.add_tensor_data_layout("jploski")


def one_array(arrays, config):
    """Phi's queries, keys and values, laid together as the first files had them."""
    found = {name: array for name, array in arrays.items() if "_proj" not in name}
    for name, array in arrays.items():
        if ".q_proj." in name:
            parts = [arrays[name.replace("q_proj", f"{part}_proj")] for part in "qkv"]
            path = name.replace("model.layers", "transformer.h").replace(
                "self_attn.q_proj", "mixer.Wqkv"
            )
            found[path] = np.concatenate(parts)
        elif "_proj" not in name or ".fc" in name:
            found[name] = array
    return found


def of_gpt_neox(writer, config):
    size = config.hidden_size // config.num_attention_heads
    writer.add_rope_dimension_count(int(size * config.rope_parameters["partial_rotary_factor"]))
    writer.add_parallel_residual(config.use_parallel_residual)


def of_phi(writer, config):
    size = config.hidden_size // config.num_attention_heads
    writer.add_rope_dimension_count(int(size * config.rope_parameters["partial_rotary_factor"]))


def of_phi3(writer, config):
    size = config.hidden_size // config.num_attention_heads
    parameters = config.rope_parameters
    writer.add_rope_dimension_count(int(size * parameters.get("partial_rotary_factor", 1)))
    writer.add_sliding_window(config.sliding_window or 0)
    if parameters["rope_type"] == "longrope":
        original = config.original_max_position_embeddings
        growth = config.max_position_embeddings / original
        writer.add_rope_scaling_type(gguf.RopeScalingType.LONGROPE)
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(np.sqrt(1 + np.log(growth) / np.log(original)))
        for length in ("short", "long"):
            factors = np.array(parameters[f"{length}_factor"], np.float32)
            writer.add_tensor(f"rope_factors_{length}.weight", factors)


WHOLE_HEADS = tiny.EACH_ITS_KEY_HEAD | {
    "rope_parameters": {"rope_type": "default", **tiny.THETA, "partial_rotary_factor": 1.0}
}
PHI_LONG = {**tiny.LONGROPE, **tiny.TIED, "original_max_position_embeddings": 16}


def gemma(family, **options):
    """A Gemma whose scores are scaled by the size of its heads, as files take for granted."""
    return (family, tiny.SIZES, {"head_dim": 8, "query_pre_attn_scalar": 8, **options})


NEW = {"new_decoder_architecture": True}
FALCON = {"change": queries_of_groups_first, "say": of_falcon}
PAIRED = {"change": tiny_files.pair_heads}
CASES = [
    ("llama", "llama", PAIRED),
    ("llama", "llama, grouped, biases, tied", PAIRED),
    ("llama", "llama, wide heads", PAIRED),
    ("llama", "llama, linear", PAIRED | {"say": linear}),
    ("llama", "llama, yarn", PAIRED | {"say": yarn}),
    ("qwen2", "qwen2", {}),
    ("qwen3", "qwen3", {}),
    ("olmo2", "olmo2", {}),
    ("olmo2", "olmo2, biases, tied", {"say": linear}),
    ("granite", "granite", PAIRED | {"say": of_granite}),
    ("granite", "granite, biases, tied", PAIRED | {"say": of_granite}),
    ("smollm3", "smollm3", PAIRED),
    ("gemma", "gemma", {"change": gains}),
    ("gemma2", gemma("Gemma2", sliding_window=5), {"change": gains, "say": of_gemma}),
    (
        "gemma3",
        gemma("Gemma3Text", num_hidden_layers=7, sliding_window=5),
        {"change": gains, "say": of_gemma3},
    ),
    ("bloom", "bloom", {"change": queries_first}),
    ("gptneox", "gpt_neox", {"change": queries_first, "say": of_gpt_neox}),
    (
        "gptneox",
        ("GPTNeoX", tiny.SIZES, {"use_parallel_residual": False, **tiny.TIED}),
        {"change": queries_first, "say": of_gpt_neox},
    ),
    ("phi2", "phi", {"say": of_phi}),
    ("phi2", "phi", {"say": of_phi, "change": one_array}),
    ("falcon", "falcon", FALCON),
    ("falcon", "falcon, many key heads", FALCON),
    ("falcon", ("Falcon", tiny.FALCON_SIZES, {**NEW, "num_kv_heads": 2}), FALCON),
    ("falcon", "falcon, new, one norm", FALCON),
    (
        "falcon",
        (
            "Falcon",
            tiny.FALCON_SIZES,
            {**NEW, **tiny.UNTIED, "num_kv_heads": 2, "bias": True, "num_ln_in_parallel_attn": 1},
        ),
        FALCON,
    ),
    ("phi3", "phi3", {"say": of_phi3}),
    ("phi3", "phi3, partial", {"say": of_phi3}),
    ("phi3", ("Phi3", tiny.SIZES, PHI_LONG), {"say": of_phi3}),
    ("gpt2", "gpt2", {"change": outward}),
    ("gpt2", ("GPT2", tiny.GPT2_SIZES, {**tiny.UNTIED, "n_inner": 20}), {"change": outward}),
    ("stablelm", "stablelm", {"say": of_stablelm}),
    ("stablelm", ("StableLm", tiny.SIZES, WHOLE_HEADS), {"say": of_stablelm}),
    (
        "stablelm",
        "stablelm, parallel, normalised",
        {"say": of_stablelm, "change": heads_together},
    ),
    ("starcoder2", ("Starcoder2", tiny.SIZES, {**tiny.GROUPED, "sliding_window": None}), {}),
    ("starcoder2", "starcoder2, no biases", {}),
    ("command-r", "cohere", {"say": of_cohere}),
    ("command-r", ("Cohere", tiny.SIZES, {"use_qk_norm": True}), {"say": of_cohere}),
]
"""An architecture, a case of `tiny_models`, and how the file differs from it."""


def test_every_architecture_is_among_the_cases():
    assert {architecture for architecture, *_ in CASES} == set(ARCHITECTURES)


@pytest.mark.parametrize(("architecture", "case", "options"), CASES)
def test_logits(architecture, case, options, tmp_path):
    theirs = tiny_files.random_model(case)
    path = tiny_files.write(tmp_path / "a.gguf", architecture, theirs, **options)
    model = read(path)
    for positions in (1, min(model.config.block_size, 90)):
        ids = tiny.random_ids(2, positions)
        got, want = model.logits(ids), tiny.logits_of(theirs, ids)
        assert np.abs(got - want).max() <= 1e-4 * np.abs(want).max()


def test_llama3_factors_are_those_of_its_scaling(tmp_path):
    theirs = tiny_files.random_model("llama, llama3")
    frequencies = theirs.model.rotary_emb.inv_freq.numpy()
    plain = 10_000.0 ** (-np.arange(4) / 4)

    def say(writer, config):
        writer.add_tensor("rope_freqs.weight", (plain / frequencies).astype(np.float32))

    path = tiny_files.write(tmp_path / "a.gguf", "llama", theirs, **PAIRED, say=say)
    ids = tiny.random_ids(1, 100)
    got, want = read(path).logits(ids), tiny.logits_of(theirs, ids)
    assert np.abs(got - want).max() <= 1e-4 * np.abs(want).max()


def test_an_unknown_architecture_is_named(tmp_path):
    writer = tiny_files.writer_of(tmp_path / "a.gguf", "mamba")
    writer.add_block_count(1)
    tiny_files.finish(writer)
    with pytest.raises(PellucidError, match=r"general\.architecture='mamba'"):
        read(tmp_path / "a.gguf")


@pytest.mark.parametrize(
    ("say", "named"),
    [
        (lambda writer, config: writer.add_clamp_kqv(8.0), "llama.attention.clamp_kqv"),
        (lambda writer, config: writer.add_expert_count(8), "llama.expert_count"),
        (lambda writer, config: writer.add_rope_dimension_count(4), "llama.rope.dimension_count"),
        (
            lambda writer, config: writer.add_rope_scaling_type(gguf.RopeScalingType.LONGROPE),
            "llama.rope.scaling.type",
        ),
    ],
)
def test_a_field_that_is_not_honoured_is_named(say, named, tmp_path):
    theirs = tiny_files.random_model("llama")
    path = tiny_files.write(tmp_path / "a.gguf", "llama", theirs, **PAIRED, say=say)
    with pytest.raises(PellucidError, match=named):
        read(path)


def test_an_array_without_a_place_is_named(tmp_path):
    theirs = tiny_files.random_model("llama")

    def say(writer, config):
        writer.add_tensor("blk.0.attn_sinks.weight", np.ones(4, np.float32))

    path = tiny_files.write(tmp_path / "a.gguf", "llama", theirs, **PAIRED, say=say)
    with pytest.raises(PellucidError, match=r"blk\.0\.attn_sinks"):
        read(path)


def test_the_shortest_number_is_the_same_float32():
    assert shortest(float(np.float32(1e-5))) == 1e-5
    assert shortest(1.00000000001) == 1.00000000001
