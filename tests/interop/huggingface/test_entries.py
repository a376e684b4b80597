"""Parts of fused arrays are where their families put them."""

from typing import Literal

import numpy as np
import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.interop.huggingface.entries import (
    Behind,
    ByHead,
    Half,
    MoreByOne,
    Paired,
    QueryKeyValue,
    Whole,
)

CONFIG = ModelConfig(
    vocab_size=5, block_size=4, n_layer=1, n_head=4, n_kv_head=2, n_embd=8, d_head=2
)
"""Two groups, each of two queries that share a key and a value."""
PARTS: tuple[Literal["q"], Literal["k"], Literal["v"]] = ("q", "k", "v")


def rows(*numbers):
    """An array whose rows can be told apart: row `n` is `[n, -n]`."""
    return np.array([[n, -n] for n in numbers])


def fetch_of(array):
    return lambda path: array


def test_all_queries_then_all_keys_then_all_values():
    fused = rows(*range(16))
    found = [QueryKeyValue("x", part).read(fetch_of(fused), CONFIG) for part in PARTS]
    assert np.array_equal(found[0], rows(*range(8)))
    assert np.array_equal(found[1], rows(*range(8, 12)))
    assert np.array_equal(found[2], rows(*range(12, 16)))
    assert all(np.shares_memory(part, fused) for part in found)


def test_group_by_group():
    fused = rows(*range(16))
    entries = [QueryKeyValue("x", part, by_group=True) for part in PARTS]
    q, k, v = (entry.read(fetch_of(fused), CONFIG) for entry in entries)
    assert np.array_equal(q, rows(0, 1, 2, 3, 8, 9, 10, 11))
    assert np.array_equal(k, rows(4, 5, 12, 13))
    assert np.array_equal(v, rows(6, 7, 14, 15))


def test_with_one_key_head_the_two_orders_are_one():
    one = CONFIG.replace(n_kv_head=1)
    fused = np.arange(12)
    for part in PARTS:
        plain, grouped = (QueryKeyValue("x", part, by_group=by) for by in (False, True))
        assert np.array_equal(plain.read(fetch_of(fused), one), grouped.read(fetch_of(fused), one))


def test_biases_are_cut_like_weights():
    bias = np.arange(16)
    k = QueryKeyValue("x", "k", by_group=True).read(fetch_of(bias), CONFIG)
    assert k.tolist() == [4, 5, 12, 13]


@pytest.mark.parametrize("by_group", [False, True])
@pytest.mark.parametrize("length", [0, 15, 17, 24])
def test_a_fused_array_of_another_size_is_named(length, by_group):
    entry = QueryKeyValue("model.qkv", "q", by_group)
    with pytest.raises(PellucidError, match=rf"model\.qkv has {length} outputs.* are 16"):
        entry.read(fetch_of(np.zeros((length, 2))), CONFIG)


def test_halves():
    both = rows(0, 1, 2, 3)
    assert np.array_equal(Half("x", 0).read(fetch_of(both), CONFIG), rows(0, 1))
    assert np.array_equal(Half("x", 1).read(fetch_of(both), CONFIG), rows(2, 3))


def test_a_table_without_its_first_rows():
    assert np.array_equal(Behind("x", 2).read(fetch_of(rows(0, 1, 2, 3)), CONFIG), rows(2, 3))


def test_an_array_for_each_head():
    arrays = {f"norms.{j}": np.array([j, j + 0.5]) for j in range(4)}
    for entry, count in (
        (ByHead("norms.{j}", "n_head"), 4),
        (ByHead("norms.{j}", "n_kv_head"), 2),
    ):
        found = entry.read(arrays.__getitem__, CONFIG)
        assert np.array_equal(found, [[j, j + 0.5] for j in range(count)])


def test_a_whole_array():
    array = rows(1, 2)
    assert Whole("x").read(fetch_of(array), CONFIG) is array


GROUPED = CONFIG.replace(d_head=4)


@pytest.mark.parametrize(
    ("entries", "shape"),
    [
        ([Whole("x")], (12, 3)),
        ([Behind("x", 0)], (12, 3)),
        ([QueryKeyValue("x", part) for part in PARTS], (32, 3)),
        ([QueryKeyValue("x", part, by_group=True) for part in PARTS], (32, 3)),
        ([QueryKeyValue("x", part, by_group=True) for part in PARTS], (32,)),
        ([Half("x", 0), Half("x", 1)], (12, 3)),
        ([Paired("x", "n_head")], (16, 3)),
        ([Paired("x", "n_kv_head")], (8,)),
        ([MoreByOne("x")], (12,)),
    ],
)
def test_what_is_read_is_written_back(entries, shape):
    """Every number of the stored array, at its place."""
    stored = np.random.default_rng(0).integers(1, 99, shape) * 1.0
    made: dict[str, np.ndarray] = {}

    def room(path, shape):
        return made.setdefault(path, np.zeros(shape))

    for entry in entries:
        entry.write(entry.read(fetch_of(stored), GROUPED), room, GROUPED)
    assert list(made) == ["x"]
    assert np.array_equal(made["x"], stored)


def test_rows_behind_those_that_nothing_reads():
    made = np.full((4, 2), 9.0)
    Behind("x", 2).write(rows(2, 3), lambda path, shape: made.reshape(shape), CONFIG)
    assert np.array_equal(made[2:], rows(2, 3))


def test_each_heads_array_is_written():
    made: dict[str, np.ndarray] = {}
    array = np.array([[j, j + 0.5] for j in range(4)])
    ByHead("norms.{j}", "n_head").write(
        array, lambda path, shape: made.setdefault(path, np.zeros(shape)), CONFIG
    )
    assert {name: row.tolist() for name, row in made.items()} == {
        f"norms.{j}": [j, j + 0.5] for j in range(4)
    }
