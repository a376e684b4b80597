"""Ids come back from a token file, and a file that is not as it was written is refused."""

import numpy as np
import pytest
import safetensors
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.id_storage import HEADER_SIZE, IdWriter, open_ids
from pellucid.text.measure import Measure

MEASURED = Measure(characters=10**12, bytes=2 * 10**12, documents=10**9, digest="c" * 32)


def written(path, *blocks, vocab_size):
    with path.open("wb") as file:
        writer = IdWriter(file, vocab_size=vocab_size)
        for block in blocks:
            writer.write(block)
        writer.finish(MEASURED, tokenizer="t" * 32)
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("ids") / "mine.safetensors"


@given(st.lists(st.lists(st.integers(0, 2**16 - 1))).filter(any))
def test_ids_come_back_in_order(path, blocks):
    ids, said = open_ids(written(path, *blocks, vocab_size=2**16))
    assert ids.tolist() == [id for block in blocks for id in block]
    assert (said.characters, said.bytes, said.documents) == (10**12, 2 * 10**12, 10**9)
    assert (said.digest, said.tokenizer) == ("c" * 32, "t" * 32)


@pytest.mark.parametrize(("vocab_size", "width"), [(2, 2), (2**16, 2), (2**16 + 1, 4), (2**20, 4)])
def test_a_token_takes_as_many_bytes_as_the_vocabulary_needs(path, vocab_size, width):
    ids, _ = open_ids(written(path, [0, vocab_size - 1], vocab_size=vocab_size))
    assert ids.tolist() == [0, vocab_size - 1]
    assert ids.itemsize == width
    assert path.stat().st_size == HEADER_SIZE + 2 * width


def test_the_ids_are_mapped_and_cannot_be_changed(path):
    ids, _ = open_ids(written(path, [1, 2], vocab_size=9))
    assert isinstance(ids, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 3


def test_the_format_is_one_that_other_tools_read(path):
    written(path, [1, 2, 70_000], vocab_size=70_001)
    with safetensors.safe_open(path, "numpy") as file:
        assert file.get_tensor("ids").tolist() == [1, 2, 70_000]
        assert file.metadata()["tokenizer"] == "t" * 32


@pytest.mark.parametrize("size", [0, 5, HEADER_SIZE - 1, HEADER_SIZE, HEADER_SIZE + 7])
def test_a_file_that_was_cut_short_is_refused(path, size):
    content = written(path, [1, 2, 3, 4], vocab_size=9).read_bytes()
    path.write_bytes(content[:size])
    with pytest.raises(PellucidError, match="is damaged"):
        open_ids(path)


@given(st.data())
def test_a_changed_byte_of_the_ids_is_found(path, data):
    content = bytearray(written(path, range(100), vocab_size=100).read_bytes())
    place = data.draw(st.integers(HEADER_SIZE, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    with pytest.raises(PellucidError, match="is damaged"):
        open_ids(path)


@pytest.mark.parametrize("more", [b"\0", b"\0\0"])
def test_a_file_that_is_too_long_is_refused(path, more):
    path.write_bytes(written(path, [1, 2], vocab_size=9).read_bytes() + more)
    with pytest.raises(PellucidError, match="is damaged"):
        open_ids(path)


@pytest.mark.parametrize("length", [b"1", b"3"])
def test_a_header_that_says_another_length_is_refused(path, length):
    content = written(path, [1, 2], vocab_size=9).read_bytes()
    path.write_bytes(content.replace(b'"shape":[2]', b'"shape":[%b]' % length))
    with pytest.raises(PellucidError, match="is damaged"):
        open_ids(path)


def test_a_file_without_its_header_is_none(path):
    with path.open("wb") as file:
        IdWriter(file, vocab_size=9).write([1, 2, 3])
    with pytest.raises(PellucidError, match="is damaged"):
        open_ids(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(PellucidError, match="cannot be read: No such file"):
        open_ids(tmp_path / "lost.safetensors")
