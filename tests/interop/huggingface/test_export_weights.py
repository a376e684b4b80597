"""Arrays in files: each once, no file larger than asked, and all of them found again."""

import json

import numpy as np
import pytest
from safetensors import safe_open

from pellucid.interop.huggingface.export_config import find_home
from pellucid.interop.huggingface.export_weights import shards, stored_arrays, write_files
from pellucid.interop.huggingface.reading import read_parameters
from pellucid.interop.huggingface.weights import FolderWeights
from tests.small_models import SMALL, random_parameters

GROUPS = [{f"{name}.{i}": np.full(i, i, np.float64) for i in range(1, 4)} for name in "abc"]
"""Three arrays of 8, 16 and 24 bytes in each."""
FLAT = {name: array for group in GROUPS for name, array in group.items()}


@pytest.mark.parametrize("most", [1, 24, 40, 48, 143, 144])
def test_as_many_together_as_fit(most):
    cut = list(shards(GROUPS, most))
    assert {name: array for shard in cut for name, array in shard.items()} == FLAT
    sizes = [sum(array.nbytes for array in shard.values()) for shard in cut]
    assert all(size <= most or len(shard) == 1 for size, shard in zip(sizes, cut, strict=True))
    # One array more would have been too much for each but the last.
    following = [next(iter(shard.values())).nbytes for shard in cut[1:]]
    assert all(size + more > most for size, more in zip(sizes, following, strict=False))


def test_one_file_needs_no_index(tmp_path):
    write_files(GROUPS, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]
    with safe_open(tmp_path / "model.safetensors", "np") as file:
        # Versions of transformers before 5 open none without it.
        assert file.metadata() == {"format": "pt"}
    assert_there(tmp_path)


def test_several_files_have_one(tmp_path):
    write_files(GROUPS, tmp_path, most_bytes=48)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [
        "model-00001-of-00003.safetensors",
        "model-00002-of-00003.safetensors",
        "model-00003-of-00003.safetensors",
        "model.safetensors.index.json",
    ]
    index = json.loads((tmp_path / files[-1]).read_text())
    assert index["metadata"]["total_size"] == 144
    assert index["weight_map"]["c.3"] == files[2]
    assert_there(tmp_path)


def assert_there(folder):
    found = FolderWeights(folder)
    assert found.keys() == FLAT.keys()
    assert all(np.array_equal(found[name], array) for name, array in FLAT.items())


def test_files_are_readable_by_whom_the_system_says(tmp_path):
    write_files(GROUPS, tmp_path, most_bytes=48)
    (tmp_path / "plain").write_text("")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_arrays_come_block_after_block_and_are_read_back():
    config = SMALL.replace(head_bias=False, n_layer=3)
    home, parameters = find_home(config), random_parameters(config)
    groups = list(stored_arrays(home, parameters))
    assert [next(iter(group)) for group in groups] == [
        "transformer.wte.weight",
        "transformer.h.0.ln_1.weight",
        "transformer.h.1.ln_1.weight",
        "transformer.h.2.ln_1.weight",
        "transformer.ln_f.weight",
    ]
    stored = {name: array for group in groups for name, array in group.items()}
    assert stored["transformer.h.0.attn.c_attn.weight"].shape == (8, 24)
    again = read_parameters(home.family, config, stored)
    assert again.keys() == parameters.keys()
    assert all(np.array_equal(again[name], parameters[name]) for name in parameters)
