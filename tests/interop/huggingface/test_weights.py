"""Weights lie in one file or in several of the folder, under an index that is not believed."""

import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import save_file

from pellucid.errors import PellucidError
from pellucid.interop.huggingface.weights import FolderWeights

A, B = np.arange(4, dtype=np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
FILES = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
INDEX = "model.safetensors.index.json"


@pytest.fixture
def folder(tmp_path):
    save_file({"a": A}, tmp_path / FILES[0])
    save_file({"b": B}, tmp_path / FILES[1])
    return indexed(tmp_path, {"a": FILES[0], "b": FILES[1]})


def indexed(folder, places):
    index = {"metadata": {"total_size": 40}, "weight_map": places}
    (folder / INDEX).write_text(json.dumps(index))
    return folder


def refused(folder):
    with pytest.raises(PellucidError) as caught:
        FolderWeights(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_several_files_are_one_set_of_arrays(folder):
    weights = FolderWeights(folder)
    assert set(weights) == {"a", "b"}
    assert np.array_equal(weights["a"], A)
    assert np.array_equal(weights["b"], B)
    with pytest.raises(PellucidError, match="lacks c"):
        weights["c"]


def test_one_file_goes_before_an_index(folder):
    save_file({"c": B}, folder / "model.safetensors")
    assert set(FolderWeights(folder)) == {"c"}


def test_files_may_be_links_as_in_a_cache_of_downloads(folder, tmp_path_factory):
    store = tmp_path_factory.mktemp("blobs") / "0123abcd"
    (folder / FILES[0]).rename(store)
    (folder / FILES[0]).symlink_to(store)
    assert np.array_equal(FolderWeights(folder)["a"], A)


@pytest.mark.parametrize(
    "name",
    [
        "../model.safetensors",
        "/etc/passwd",
        "sub/model.safetensors",
        "..",
        "",
        "sub\\model.safetensors",
        "C:model.safetensors",
        "model.bin",
        "a\0.safetensors",
    ],
)
def test_an_index_that_leads_out_of_the_folder(folder, name):
    assert "lie in the folder itself" in refused(indexed(folder, {"a": name}))


@pytest.mark.parametrize("name", [3, None, ["x"], {"a": 1}])
def test_an_index_of_no_names(folder, name):
    assert "that is no name" in refused(indexed(folder, {"a": name}))


@pytest.mark.parametrize("places", [None, [], {}, "x", 3])
def test_an_index_without_a_map(folder, places):
    assert "no weight_map" in refused(indexed(folder, places))


def test_an_index_that_names_what_is_not_there(folder):
    assert "says that" in refused(indexed(folder, {"a": FILES[1]}))
    assert "cannot be read" in refused(indexed(folder, {"a": "other.safetensors"}))


def test_an_index_that_is_no_json(folder):
    (folder / INDEX).write_text("[")
    assert "is not JSON" in refused(folder)


def test_a_pickle_is_not_opened(tmp_path):
    class Run:
        def __reduce__(self):
            return (tmp_path.joinpath("ran").touch, ())

    with (tmp_path / "pytorch_model.bin").open("wb") as file:
        pickle.dump({"a": Run()}, file)
    assert "pytorch_model.bin, a pickle" in refused(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_folder_without_weights(tmp_path):
    assert "has no weights" in refused(tmp_path)
