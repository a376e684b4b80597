"""Files of arrays that another program wrote."""

from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from pellucid.errors import PellucidError
from pellucid.model.array_files import metadata, read_arrays

ARRAYS: dict[str, Any] = {
    "logits": np.arange(6, dtype="float32").reshape(2, 3),
    "half": np.ones(2, dtype="float16"),
    "ids": np.array([1, 2]),
}


@pytest.fixture(params=["npz", "safetensors"])
def path(request, tmp_path):
    path = tmp_path / f"theirs.{request.param}"
    np.savez(path, **ARRAYS) if request.param == "npz" else save_file(ARRAYS, path)
    return path


def test_arrays_come_back_as_they_were_written(path):
    found = read_arrays(path)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)


@pytest.mark.parametrize("keep", [0, 10, -1, -100])
def test_a_truncated_file_is_refused(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(PellucidError, match=f"{path.name} is damaged or not"):
        read_arrays(path)


@pytest.mark.parametrize("flag", [{"at": 8, "to": 99}, {"at": 6, "to": 1}])
def test_what_cannot_be_unpacked_is_refused(tmp_path, flag):
    path = tmp_path / "theirs.npz"
    np.savez(path, logits=np.ones(3))
    content = bytearray(path.read_bytes())
    # The method of compression and the mark of a password, in the zip's list of its files.
    content[content.rindex(b"PK\1\2") + 2 + flag["at"]] = flag["to"]
    path.write_bytes(content)
    with pytest.raises(PellucidError, match=r"theirs\.npz is damaged or not"):
        read_arrays(path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "theirs.txt"
    path.write_text("1 2 3")
    with pytest.raises(PellucidError, match="neither a model's folder nor a file of arrays"):
        read_arrays(path)
    renamed = path.rename(tmp_path / "theirs.npz")
    with pytest.raises(PellucidError, match=r"theirs\.npz"):
        read_arrays(renamed)


def test_a_single_array_is_no_file_of_named_ones(tmp_path):
    np.save(tmp_path / "one.npy", np.ones(3))
    path = (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(PellucidError, match="holds one array without a name"):
        read_arrays(path)


def test_nothing_is_unpickled(tmp_path):
    path = tmp_path / "theirs.npz"
    np.savez(path, logits=np.array([{"a": 1}], dtype=object))
    with pytest.raises(PellucidError, match="holds more than plain arrays of numbers"):
        read_arrays(path)


def test_numbers_that_numpy_lacks_are_refused_or_read_exactly(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_torch

    path = tmp_path / "theirs.safetensors"
    save_torch({"logits": torch.ones(2, dtype=torch.bfloat16)}, path)
    with pytest.raises(PellucidError, match="write float32 or float64"):
        read_arrays(path)


def test_what_a_file_says_of_itself(tmp_path):
    path = tmp_path / "theirs.safetensors"
    save_file(ARRAYS, path)
    assert metadata(path) == {}
    save_file(ARRAYS, path, {"made by": "another program"})
    assert metadata(path) == {"made by": "another program"}
    path.write_bytes(b"")
    with pytest.raises(PellucidError, match="is damaged or not safetensors"):
        metadata(path)
