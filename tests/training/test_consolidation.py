"""Shards written together are one file as anybody reads it."""

import json
from itertools import pairwise

import numpy as np
import pytest
from safetensors.numpy import load_file

from pellucid.training.consolidation import consolidate
from pellucid.training.shards import Shards
from tests.training.shards import ARRAYS, write


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_together_they_are_one_file_as_anybody_reads_it(tmp_path, dtype):
    shards = Shards(write(tmp_path / "shards", 3, dtype=dtype))
    consolidate(shards, ["blocks.0.w", "long"], tmp_path / "whole.safetensors")
    found = load_file(tmp_path / "whole.safetensors")
    assert found.keys() == {"blocks.0.w", "long"}
    for name, array in found.items():
        assert array.dtype == dtype
        np.testing.assert_array_equal(array, ARRAYS[name].astype(dtype))


def test_numbers_begin_where_safetensors_wants_them(tmp_path):
    shards = Shards(write(tmp_path / "shards", 2))
    consolidate(shards, ARRAYS, tmp_path / "whole.safetensors")
    content = (tmp_path / "whole.safetensors").read_bytes()
    head = int.from_bytes(content[:8], "little")
    assert head % 8 == 0
    places = [tuple(of["data_offsets"]) for of in json.loads(content[8 : 8 + head]).values()]
    assert all(end == start for (_, end), (start, _) in pairwise(places))
    assert 8 + head + places[-1][1] == len(content)
