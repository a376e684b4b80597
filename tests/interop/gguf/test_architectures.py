"""Each architecture's files compute what `transformers` computes with the same numbers."""

import gguf
import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop.gguf.architectures import ARCHITECTURES, shortest
from pellucid.interop.gguf.file import read
from tests.interop.gguf import tiny_files
from tests.interop.huggingface import tiny_models as tiny


def linear(writer, config):
    writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    writer.add_rope_scaling_factor(config.rope_parameters["factor"])


def yarn(writer, config):
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(config.rope_parameters["factor"])
    writer.add_rope_scaling_orig_ctx_len(config.rope_parameters["original_max_position_embeddings"])


PAIRED = {"change": tiny_files.pair_heads}
CASES = [
    ("llama", "llama", PAIRED),
    ("llama", "llama, grouped, biases, tied", PAIRED),
    ("llama", "llama, wide heads", PAIRED),
    ("llama", "llama, linear", PAIRED | {"say": linear}),
    ("llama", "llama, yarn", PAIRED | {"say": yarn}),
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
