"""Arrays are what was written, as well as their types hold it."""

import tracemalloc

import gguf
import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop.gguf.arrays import GgufArrays
from pellucid.interop.gguf.header import Stored, read_header
from pellucid.ops.half import widen
from tests.interop.gguf import tiny_files

Kind = gguf.GGMLQuantizationType
VALUES = np.random.default_rng(0).standard_normal((6, 512)).astype(np.float32)
WRITTEN = [Kind.F32, Kind.F16, Kind.BF16, Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1, Kind.Q8_0]


def one_array(path, kind, values=VALUES):
    writer = tiny_files.writer_of(path, "llama")
    writer.add_tensor("a", gguf.quantize(values, kind), raw_dtype=kind)
    tiny_files.finish(writer)
    return GgufArrays(path, read_header(path).arrays)


@pytest.mark.parametrize("kind", WRITTEN)
def test_numbers_are_those_that_the_library_makes(kind, tmp_path):
    array = widen(one_array(tmp_path / "a.gguf", kind)["a"])
    want = gguf.dequantize(gguf.quantize(VALUES, kind), kind)
    assert array.dtype == np.float32
    assert np.array_equal(array, want)


def test_plain_numbers_are_views_that_cannot_be_written(tmp_path):
    array = one_array(tmp_path / "a.gguf", Kind.F32)["a"]
    assert not array.flags.owndata
    assert not array.flags.writeable


def test_an_array_in_use_is_made_once(tmp_path):
    arrays = one_array(tmp_path / "a.gguf", Kind.Q8_0)
    part = arrays["a"][2:]
    assert np.shares_memory(part, arrays["a"])
    del part
    assert not arrays.in_use


def test_dequantising_takes_little_beside_its_result(tmp_path):
    values = np.ones((4096, 1024), np.float32)
    arrays = one_array(tmp_path / "a.gguf", Kind.Q8_0, values)
    tracemalloc.start()
    array = arrays["a"]
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The library takes some float32 more for each number that it works on.
    assert highest < array.nbytes + 8 * (1 << 20)
    assert array.nbytes == 16 * (1 << 20)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (Stored("a", (6, 513), 8, 0), "513 numbers, which are stored 32"),
        (Stored("a", (1 << 40, 32), 8, 0), "should end at byte"),
        (Stored("a", (4,), 0, 1 << 50), "should end at byte"),
        (Stored("a", (4,), 4, 0), "type 4, which is not read"),
        (Stored("a", (4,), 77, 0), "type 77, which is not read"),
    ],
)
def test_places_that_do_not_fit_are_refused(place, said, tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(bytes(1000))
    with pytest.raises(PellucidError, match=said):
        GgufArrays(path, {"a": place})


def test_a_name_that_is_not_there_is_named(tmp_path):
    arrays = one_array(tmp_path / "a.gguf", Kind.F32)
    with pytest.raises(PellucidError, match="lacks b"):
        arrays["b"]
    with pytest.raises(PellucidError, match="lacks b"):
        arrays.shape("b")
