"""A safetensors file gives single tensors, and refuses what is damaged or hostile with words."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from pellucid.errors import PellucidError
from pellucid.trace.tensor_file import StoredTensors, TensorFile, printable

ARRAYS = {
    "logits": np.arange(6.0).reshape(2, 3),
    "loss": np.array(0.5),
    "blocks.0.mlp.out": np.full((2, 1), -np.inf, dtype=np.float32),
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.safetensors"
    save_file(ARRAYS, path, {"about": "a test"})
    return path


def write(path, header, data=b"", *, length=None):
    """A file with this header, claimed to be of this length."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(raw) if length is None else length).to_bytes(8, "little") + raw + data)
    return path


def entry(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def refusal(path):
    with pytest.raises(PellucidError) as caught:
        TensorFile.open(path)
    message = str(caught.value)
    assert message.startswith(f"{path} ")
    assert message.isprintable()
    return message


# Reading


def test_what_the_formats_own_library_wrote_is_read(path):
    file = TensorFile.open(path)
    assert file.metadata == {"about": "a test"}
    assert set(file.entries) == set(ARRAYS)
    for name, array in ARRAYS.items():
        read = file.read(name)
        assert (read.dtype, read.shape) == (array.dtype, array.shape)
        assert read.tobytes() == array.tobytes() == load_file(path)[name].tobytes()


def test_what_is_read_cannot_be_written_to(path):
    values = TensorFile.open(path).read("logits")
    for array in (values, values[...]):
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.flags.writeable = True


def test_a_tensor_is_read_when_it_is_first_asked_for(path):
    stored = StoredTensors(TensorFile.open(path), {"scores": "logits", "loss": "loss"})
    assert (list(stored), len(stored)) == (["scores", "loss"], 2)
    assert "scores" in stored
    assert "logits" not in stored
    assert not stored.known
    assert stored["scores"] is stored["scores"]
    assert list(stored.known) == ["scores"]


def test_a_file_that_is_read_is_not_held_open(path):
    open_files = Path("/proc/self/fd")
    if not open_files.exists():
        pytest.skip("This system does not list open files.")
    stored = StoredTensors(TensorFile.open(path), {"logits": "logits"})
    assert stored["logits"].sum() == 15
    assert path.resolve() not in [link.resolve() for link in open_files.iterdir()]


def test_a_relative_path_stays_the_same_file(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    file = TensorFile.open(path.name)
    monkeypatch.chdir("/")
    assert file.read("loss") == 0.5


# A file that changes


def test_a_file_that_was_moved_is_missed_with_words(path):
    file = TensorFile.open(path)
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(PellucidError, match=r"logits is still in .*No such file.* load the trace"):
        file.read("logits")


def test_a_file_that_was_cut_short_is_noticed(path):
    file = TensorFile.open(path)
    with path.open("r+b") as open_file:
        open_file.truncate(path.stat().st_size - 1)
    with pytest.raises(PellucidError, match="has changed since the trace was loaded"):
        file.read("logits")


def test_a_file_that_was_written_anew_is_noticed(path):
    file = TensorFile.open(path)
    before = path.stat()
    save_file({**ARRAYS, "loss": np.array(1.5)}, path, {"about": "a test"})
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(PellucidError, match="has changed since the trace was loaded"):
        file.read("logits")


# Refusals


def test_no_file_and_no_folder(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.safetensors")
    assert "is not a file" in refusal(tmp_path)


@pytest.mark.parametrize("content", [b"", b"short", b"\x89PNG\r\n\x1a\n" + bytes(100), b"P" * 3000])
def test_a_file_of_another_kind(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    assert f"and has {len(content)} in all" in refusal(path)


def test_every_way_of_cutting_a_file_short(path, tmp_path):
    whole = path.read_bytes()
    for end in range(len(whole)):
        cut = tmp_path / "cut"
        cut.write_bytes(whole[:end])
        assert "cut short" in refusal(cut)
    cut.write_bytes(whole + b"\0")
    assert "added to" in refusal(cut)


def test_a_header_that_claims_to_be_huge(tmp_path):
    assert "a header of 18446744073709551615 bytes" in refusal(
        write(tmp_path / "huge", b"{}", length=2**64 - 1)
    )
    path = tmp_path / "sparse"
    write(path, b"{}", length=100_000_001)
    with path.open("r+b") as file:
        file.truncate(100_000_020)
    assert "more than 100000000 are not read" in refusal(path)


@pytest.mark.parametrize(
    "header",
    [
        b"not JSON",
        b"\xff\xfe{}",
        b"[1, 2]",
        b'"text"',
        b"",
        b'{"a": ',
        b'{"\xed\xa0\x80": 1}',
        b"[" * 50_000,
        b'{"a": ' * 50_000,
        b'{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    ],
)
def test_a_header_that_is_not_a_mapping_in_json(tmp_path, header):
    assert "has a header that is not JSON" in refusal(write(tmp_path / "bad", header))


@pytest.mark.parametrize("metadata", [1, "text", ["a"], {"a": 1}, {"a": {"b": "c"}}, None])
def test_metadata_that_are_not_texts_by_name(tmp_path, metadata):
    path = write(tmp_path / "bad", {"__metadata__": metadata})
    assert "has metadata that are not texts by name" in refusal(path)


@pytest.mark.parametrize(
    "wrong",
    [
        1,
        [],
        {},
        entry() | {"more": 1},
        entry(dtype="BF16"),
        entry(dtype="I64"),
        entry(shape=(-1,)),
        entry(shape=(1.5,)),
        entry(shape=(True,)),
        entry(shape=4),
        entry(shape=(1,) * 9),
        entry(shape=(10**30,)),
        entry(shape=(int("9" * 4000),)),
        entry(offsets=(0,)),
        entry(offsets=(0, 4, 8)),
        entry(offsets=(-4, 0)),
        entry(offsets="04"),
    ],
)
def test_a_tensor_that_is_badly_described(tmp_path, wrong):
    path = write(tmp_path / "bad", {"logits": wrong}, bytes(4))
    assert "says nothing readable of its tensor logits" in refusal(path)


@pytest.mark.parametrize(
    ("entries", "at"),
    [
        ({"a": entry(offsets=(0, 8))}, "not 0 to 8"),
        ({"a": entry(offsets=(4, 0))}, "not 4 to 0"),
        ({"a": entry(offsets=(4, 8))}, "not 4 to 8"),
        ({"a": entry(), "b": entry()}, "b [1] in F32 should lie at 4 to 8, not 0 to 4"),
        ({"a": entry(), "b": entry(offsets=(12, 16))}, "not 12 to 16"),
        ({"a": entry(shape=(2**62, 2**62))}, "not 0 to 4"),
    ],
)
def test_tensors_that_overlap_leave_gaps_or_do_not_fit(tmp_path, entries, at):
    assert at in refusal(write(tmp_path / "bad", entries, bytes(16)))


def test_a_tensor_beyond_the_end(tmp_path):
    path = write(tmp_path / "bad", {"a": entry(shape=(2**40,), offsets=(0, 2**42))}, bytes(16))
    assert "take 4398046511104 bytes, but 16 are there" in refusal(path)


@given(place=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_changed_byte_is_refused_or_read_as_other_numbers(tmp_path_factory, place, byte):
    path = tmp_path_factory.getbasetemp() / "changed"
    save_file(ARRAYS, path, {"about": "a test"})
    content = bytearray(path.read_bytes())
    content[place % len(content)] = byte
    path.write_bytes(content)
    try:
        file = TensorFile.open(path)
    except PellucidError as error:
        assert str(error).isprintable()  # noqa: PT017
    else:
        assert {file.read(name).nbytes for name in file.entries} <= {4, 8, 48}


def test_text_from_a_file_is_made_fit_to_print():
    assert printable("blocks.0") == "blocks.0"
    assert printable("\x1b[31mred\n\u202eleft") == "�[31mred��left"
    assert printable("a" * 500) == "a" * 160 + "…"


def test_a_hostile_name_does_not_reach_the_terminal(tmp_path):
    path = write(tmp_path / "bad", {"\x1b]0;owned\x07\n../../etc/passwd": 1})
    assert re.search(r"tensor �\]0;owned��\.\./\.\./etc/passwd", refusal(path))
