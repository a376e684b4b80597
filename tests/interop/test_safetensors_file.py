"""A safetensors file is what its header says, or it is refused with words."""

import json
import random
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

from pellucid.errors import PellucidError
from pellucid.interop.safetensors_file import MOST_HEADER, SafetensorsFile

ARRAYS: dict[str, np.ndarray] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.arange(4, dtype=np.float16),
    "c": np.array(7.5),
    "d": np.zeros((0, 3), dtype=np.int64),
    "e": np.array([True, False]),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def written(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def place(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def refused(path):
    with pytest.raises(PellucidError) as caught:
        SafetensorsFile(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    return str(caught.value)


def test_arrays_are_those_that_were_saved(path):
    save_file(ARRAYS, path, metadata={"format": "np"})
    file = SafetensorsFile(path)
    assert set(file) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert file[name].dtype == array.dtype
        assert np.array_equal(file[name], array)
        assert file[name].shape == array.shape


def test_arrays_are_views_of_the_file_that_nobody_can_write_to(path):
    save_file({"a": np.zeros((64, 64), np.float32)}, path)
    array = SafetensorsFile(path)["a"]
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
    base = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    assert type(base).__name__ == "mmap"


def test_a_name_that_is_not_there(path):
    save_file(ARRAYS, path)
    with pytest.raises(PellucidError, match=r"lacks A\. Did you mean a"):
        SafetensorsFile(path)["A"]


def test_a_file_that_is_missing_or_no_file(path):
    assert "cannot be read" in refused(path)
    path.mkdir()
    assert "cannot be read" in refused(path)


@pytest.mark.parametrize("size", [0, 1, 7])
def test_a_file_without_a_header(path, size):
    path.write_bytes(b"\x00" * size)
    assert f"it has {size} bytes" in refused(path)


def test_every_truncation_is_found(path):
    save_file(ARRAYS, path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refused(path)
    path.write_bytes(whole + b"\0")
    refused(path)


def test_a_gigantic_header_is_not_read(path):
    path.write_bytes(struct.pack("<Q", 1 << 60) + b"{}")
    assert "1,152,921,504,606,846,976 bytes" in refused(path)
    path.write_bytes(struct.pack("<Q", MOST_HEADER) + b"{}")
    assert "header alone has" in refused(path)


@pytest.mark.parametrize(
    ("header", "size", "said"),
    [
        ({"a": place([2], 0, 8), "b": place([2], 4, 12)}, 12, "overlaps"),
        ({"a": place([2], 0, 8), "b": place([2], 0, 8)}, 8, "overlaps"),
        ({"a": place([2], 0, 8), "b": place([2], 12, 20)}, 20, "leaves a hole"),
        ({"a": place([2], 4, 12)}, 12, "leaves a hole"),
        ({"a": place([2], 0, 8)}, 4, "take 8 bytes"),
        ({"a": place([2], 0, 8)}, 12, "take 8 bytes"),
        ({"a": place([3], 0, 8)}, 8, "has 12 bytes"),
        ({"a": place([1 << 62, 1 << 62], 0, 8)}, 8, "not those from 0 to 8"),
        ({"a": place([-1, -2], 0, 8)}, 8, "shape"),
        ({"a": place([1] * 40, 0, 4)}, 4, "shape"),
        ({"a": place([2], -8, 0)}, 0, "not those from -8"),
        ({"a": place([2], 8, 0)}, 8, "not those from 8"),
        ({"a": place([2], 0, 8, "F8_E4M3")}, 8, "F8_E4M3, which is not honoured"),
        ({"a": place([2], 0, 8, 7)}, 8, "damaged"),
        ({"a": place([2.5], 0, 8)}, 8, "damaged"),
        ({"a": place([True], 0, 4)}, 4, "damaged"),
        ({"a": place("2", 0, 8)}, 8, "damaged"),
        ({"a": {"dtype": "F32", "shape": [2]}}, 8, "damaged"),
        ({"a": place([2], 0, 8) | {"code": "x"}}, 8, "damaged"),
        ({"a": [1, 2]}, 8, "damaged"),
        ([1, 2], 0, "damaged"),
        (b"", 0, "damaged"),
        (b"{", 0, "damaged"),
        (b"\xff\xfe", 0, "damaged"),
        (b"[" * 100_000, 0, "damaged"),
        (b'{"a":' * 50_000, 0, "damaged"),
    ],
)
def test_headers_that_do_not_fit(path, header, size, said):
    assert said in refused(written(path, header, b"\0" * size))


def test_whatever_is_changed_in_a_file_it_is_refused_or_read_within_its_bounds(path):
    save_file(ARRAYS, path)
    whole = path.read_bytes()
    rng = random.Random(0)
    accepted = 0
    for _ in range(800):
        changed = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(whole))] = rng.choice(b'0123456789{}[]":,-.eF\0\xff')
        path.write_bytes(changed)
        try:
            file = SafetensorsFile(path)
        except PellucidError:
            continue
        accepted += 1
        for name in file:
            assert file[name].nbytes <= len(whole)
    assert 0 < accepted < 800
