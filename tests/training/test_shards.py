"""Arrays in shards: cut as PyTorch cuts, read by anybody, and never mixed with other saves'."""

import json

import numpy as np
import pytest
import torch

from pellucid.errors import PellucidError
from pellucid.training.shards import INDEX, Shards, file_of, rows_of
from tests.training.shards import ARRAYS, write


@pytest.mark.parametrize("shards", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("length", [1, 2, 8, 11])
def test_rows_are_those_of_torch(length, shards):
    chunks = [chunk.tolist() for chunk in torch.arange(length).chunk(shards)]
    chunks += [[]] * (shards - len(chunks))
    assert [list(range(*rows_of(length, shard, shards))) for shard in range(shards)] == chunks


@pytest.mark.parametrize("shards", [1, 2, 4, 7])
def test_any_rows_can_be_read_of_any_number_of_shards(tmp_path, shards):
    found = Shards(write(tmp_path, shards))
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found.read(name), array)
        for start in range(len(array)):
            for stop in range(start, len(array) + 1):
                np.testing.assert_array_equal(found.read(name, start, stop), array[start:stop])
    assert "long" in found
    assert "other" not in found
    assert found.index.step == 7


# What is refused


def test_files_of_different_saves_are_refused(tmp_path):
    write(tmp_path / "old", 3, save="old")
    write(tmp_path / "new", 3, save="new")
    name = file_of(1, 3)
    (tmp_path / "new" / name).write_bytes((tmp_path / "old" / name).read_bytes())
    with pytest.raises(
        PellucidError, match=rf"{name} is of another save \(old\) than {INDEX} .* \(new\).* mixed"
    ):
        Shards(tmp_path / "new")


def test_a_missing_file_is_named(tmp_path):
    write(tmp_path, 3)
    (tmp_path / file_of(2, 3)).unlink()
    with pytest.raises(PellucidError, match=r"shard-00003-of-00003\.safetensors is missing"):
        Shards(tmp_path)


def test_a_damaged_file_is_named(tmp_path):
    write(tmp_path, 2)
    path = tmp_path / file_of(0, 2)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(PellucidError, match=r"shard-00001-of-00002\.safetensors is damaged"):
        Shards(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"), [(b"{", "is damaged"), (b"[]", "is damaged"), (None, "cannot be read")]
)
def test_a_damaged_index_is_named(tmp_path, content, said):
    write(tmp_path, 2)
    (tmp_path / INDEX).unlink()
    if content is not None:
        (tmp_path / INDEX).write_bytes(content)
    with pytest.raises(PellucidError, match=rf"shards\.json {said}"):
        Shards(tmp_path)


def test_an_index_of_another_version_is_refused(tmp_path):
    write(tmp_path, 2)
    index = json.loads((tmp_path / INDEX).read_bytes())
    (tmp_path / INDEX).write_text(json.dumps(index | {"format": 2}))
    with pytest.raises(PellucidError, match=r"of format 2, and this version of Pellucid reads 1"):
        Shards(tmp_path)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"name": "other"}, "rows 0 to 6 of other"),
        ({"shape": [90, 3]}, r"the rows of long, \[90, 3\]"),
        ({"shape": [11, 4]}, "rows 0 to 6 of long"),
        ({"parts": 1}, r"the rows of long, \[11, 3\]"),
    ],
)
def test_an_index_that_tells_of_what_is_not_there_is_refused(tmp_path, rows, said):
    write(tmp_path, 2)
    index = json.loads((tmp_path / INDEX).read_bytes())
    spread = index["arrays"].pop("long")
    spread["shape"] = rows.get("shape", spread["shape"])
    spread["parts"] = spread["parts"][: rows.get("parts")]
    index["arrays"][rows.get("name", "long")] = spread
    (tmp_path / INDEX).write_text(json.dumps(index))
    with pytest.raises(PellucidError, match=rf"shards\.json is damaged: it tells of {said}, and"):
        Shards(tmp_path)


def test_an_index_of_numbers_that_nobody_has_is_refused(tmp_path):
    write(tmp_path, 2)
    index = json.loads((tmp_path / INDEX).read_bytes())
    (tmp_path / INDEX).write_text(json.dumps(index | {"dtype": "float7"}))
    with pytest.raises(PellucidError, match=r"dtype 'float7' is not float32 or float64"):
        Shards(tmp_path)
