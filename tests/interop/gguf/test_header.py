"""Headers are read as the library reads them, and hostile ones refused."""

import contextlib
import struct
import tracemalloc

import gguf
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.interop.gguf.file import read
from pellucid.interop.gguf.header import read_header
from tests.interop.gguf import tiny_files
from tests.interop.gguf.tiny_tokenizers import add_tokenizer

BEGIN = b"GGUF" + struct.pack("<I", 3)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A whole tiny model with a tokenizer."""
    return tiny_files.write(
        tmp_path_factory.mktemp("gguf") / "whole.gguf",
        "llama",
        tiny_files.random_model("llama"),
        change=tiny_files.pair_heads,
        say=add_tokenizer,
    )


def test_fields_and_places_are_those_that_the_library_reads(whole):
    ours, theirs = read_header(whole), gguf.GGUFReader(whole)
    for name, field in theirs.fields.items():
        if not name.startswith("GGUF."):
            value = ours.fields[name]
            assert np.array_equal(value, field.contents())
    assert {place.name: place.begin for place in ours.arrays.values()} == {
        tensor.name: tensor.data_offset for tensor in theirs.tensors
    }
    for tensor in theirs.tensors:
        assert ours.arrays[tensor.name].shape == tuple(tensor.shape[::-1].tolist())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a GGUF file"),
        (b"GGML\3\0\0\0", "not a GGUF file"),
        (b"GGUF" + struct.pack("<I", 9), "version 9"),
        (b"GGUF" + struct.pack(">I", 3), "another byte order"),
        (BEGIN, "no whole GGUF file"),
        (BEGIN + struct.pack("<QQ", 1 << 60, 0), "no whole GGUF file"),
        (BEGIN + struct.pack("<QQ", 0, 1 << 60), "no whole GGUF file"),
        (BEGIN + struct.pack("<QQQ", 0, 1, 1 << 62), "more bytes should follow"),
        (BEGIN + struct.pack("<QQQcI", 0, 1, 1, b"a", 99), "type 99"),
        (BEGIN + struct.pack("<QQQcIIQ", 0, 1, 1, b"a", 9, 8, 1 << 61), "ends before the"),
        (BEGIN + struct.pack("<QQQcIIQ", 0, 1, 1, b"a", 9, 4, 1 << 61), "more bytes should"),
        (BEGIN + struct.pack("<QQQcI", 0, 1, 1, b"a", 9) + struct.pack("<IQ", 9, 1) * 9, "type 9"),
        (BEGIN + struct.pack("<QQQcII", 1, 0, 1, b"a", 9, 0), "9 dims"),
        (BEGIN + struct.pack("<QQQcIQQIQ", 1, 0, 1, b"a", 2, 1 << 62, 4, 0, 0), "numbers"),
        (BEGIN + struct.pack("<QQ", 0, 2) + struct.pack("<QcIB", 1, b"a", 0, 1) * 2, "twice"),
    ],
)
def test_hostile_headers_are_refused_with_words(content, said, tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(PellucidError, match=said):
        read_header(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(PellucidError, match="cannot be read"):
        read_header(tmp_path / "none.gguf")


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_files_are_opened_or_refused(data, whole, tmp_path_factory):
    content = bytearray(whole.read_bytes())
    header = min(place.begin for place in read_header(whole).arrays.values())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, header - 1))
        if at < len(content):
            content[at] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("fuzz") / "a.gguf"
    path.write_bytes(content)
    # Anything but one of these two is a fault of the reader.
    with contextlib.suppress(PellucidError):
        assert read(path).parameters
