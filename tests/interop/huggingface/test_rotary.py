"""Rotary positions are the same model in the words of earlier versions, and past their context."""

import numpy as np
import pytest
from huggingface_hub.errors import StrictDataclassError

from pellucid.errors import PellucidError
from pellucid.interop.huggingface import read
from tests.interop.huggingface import tiny_models as tiny

OLD = {
    "llama, linear": {"type": "linear", "factor": 4.0},
    "llama, dynamic": {"type": "dynamic", "factor": 4.0},
    "llama, yarn": {"type": "yarn", "factor": 4.0},
    "llama, llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16,
    },
    "phi3, longrope": {
        "type": "longrope",
        "short_factor": [1.0, 1.1, 1.2, 1.5],
        "long_factor": [1.5, 2.0, 3.0, 4.0],
    },
}


@pytest.mark.parametrize("name", OLD)
def test_the_words_of_earlier_versions(name, tmp_path):
    tiny.make(name, tmp_path)
    new = tiny.config_of(tmp_path)
    model = read(tmp_path)
    old = {key: value for key, value in new.items() if key != "rope_parameters"}
    if name == "phi3, longrope":
        # In the new words the factor is said; in the old ones it follows from two contexts.
        assert new["max_position_embeddings"] / new["original_max_position_embeddings"] == 4
    tiny.write_config(tmp_path, old | {"rope_theta": 10000.0, "rope_scaling": OLD[name]})
    assert read(tmp_path).config == model.config
    ids = tiny.random_ids(1, 40)
    want = tiny.logits_of(tiny.reopened(tmp_path), ids)
    assert np.abs(model.logits(ids) - want).max() <= 1e-4 * np.abs(want).max()


def test_the_first_name_of_longrope(tmp_path):
    tiny.make("phi3, longrope", tmp_path)
    fields, model = tiny.config_of(tmp_path), read(tmp_path)
    fields["rope_parameters"]["rope_type"] = "su"
    tiny.write_config(tmp_path, fields)
    assert read(tmp_path).config == model.config


@pytest.mark.parametrize(
    ("name", "fields", "base", "dim"),
    [
        ("gpt_neox", {"rotary_pct": 0.5, "rotary_emb_base": 500}, 500.0, 4),
        ("phi", {"partial_rotary_factor": 0.25, "rope_theta": 2e4}, 2e4, 2),
        ("stablelm", {"partial_rotary_factor": 0.75, "rope_theta": 10000}, 1e4, 6),
        ("phi", {}, 1e4, 4),
        ("stablelm", {}, 1e4, 2),
        ("cohere", {}, 5e5, 0),
        ("smollm3", {}, 2e6, 0),
    ],
)
def test_what_a_file_says_of_angles_and_what_it_leaves_out(name, fields, base, dim, tmp_path):
    tiny.make(name, tmp_path)
    old = tiny.config_of(tmp_path)
    del old["rope_parameters"]
    tiny.write_config(tmp_path, old | fields)
    rotary = read(tmp_path).config.rotary
    assert rotary is not None
    assert (rotary.base, rotary.dim) == (base, dim)
    model, ids = read(tmp_path), tiny.random_ids(1, 12)
    want = tiny.logits_of(tiny.reopened(tmp_path), ids)
    assert np.abs(model.logits(ids) - want).max() <= 1e-4 * np.abs(want).max()


def test_gemma_3_in_the_words_of_earlier_versions(tmp_path):
    tiny.make("gemma3_text, scaled", tmp_path)
    old = tiny.config_of(tmp_path)
    model = read(tmp_path)
    del old["rope_parameters"], old["_sliding_window_pattern"]
    said = {
        "rope_theta": 5e4,
        "rope_local_base_freq": 2e3,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    tiny.write_config(tmp_path, old | said)
    assert read(tmp_path).config == model.config
    del old["layer_types"]
    tiny.write_config(tmp_path, old | said | {"sliding_window_pattern": 2})
    assert read(tmp_path).config.window_layers == (True, False, True)


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("llama", 64),
        ("llama, linear", 256),
        ("llama, dynamic", 256),
        ("llama, yarn", 256),
        ("llama, yarn, mscale", 64),
        ("llama, llama3", 128),
        ("llama, longrope", 64),
    ],
)
def test_the_context_is_as_long_as_the_scaling_makes_it(name, context, tmp_path):
    tiny.make(name, tmp_path)
    assert read(tmp_path).config.block_size == context


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("name", ["llama", "falcon", "gemma3_text, scaled"])
def test_a_share_of_heads_where_the_family_turns_all_of_them(name, within, tmp_path):
    """`transformers` passes the field over, or fails for it."""
    tiny.make(name, tmp_path)
    fields, share = tiny.config_of(tmp_path), {"partial_rotary_factor": 0.5}
    of_layers = fields["rope_parameters"].get("full_attention", fields["rope_parameters"])
    (of_layers if within else fields).update(share)
    tiny.write_config(tmp_path, fields)
    with pytest.raises(PellucidError, match=r"partial_rotary_factor=0\.5 is not honoured"):
        read(tmp_path)
    (of_layers if within else fields).update({"partial_rotary_factor": 1.0})
    tiny.write_config(tmp_path, fields)
    if within or name != "gemma3_text, scaled":
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("stablelm", {"head_dim": 12}, "head_dim=12"),
        ("phi, grouped, normalised", {"head_dim": 12}, "head_dim=12"),
        ("phi3, longrope", {"head_dim": 12}, "head_dim=12"),
        ("phi3", {"rope_parameters": {"rope_type": "linear", "factor": 2.0}}, "'linear'"),
    ],
)
def test_what_transformers_itself_cannot_run(name, fields, said, tmp_path):
    tiny.make(name, tmp_path)
    tiny.write_config(tmp_path, tiny.config_of(tmp_path) | fields)
    with pytest.raises(PellucidError, match=rf"{said} is not honoured"):
        read(tmp_path)
    with pytest.raises((RuntimeError, StrictDataclassError)):
        tiny.logits_of(tiny.reopened(tmp_path), tiny.random_ids(1, 5))
