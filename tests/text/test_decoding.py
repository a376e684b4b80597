"""Bytes become the same text however they come in blocks, and the changes are said."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text import decoding
from pellucid.text.decoding import Notices, decoded

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff"))
lines = texts.map(lambda text: text.replace("\n", ""))
encodings = st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32"])


def read(data, block=decoding.BLOCK, **options):
    """Decode `data` read `block` bytes at a time."""

    class Stream(io.BytesIO):
        def read(self, size=-1):
            assert size > 0
            return super().read(min(size, block))

    return "".join(decoded(Stream(data), name="groot.txt", **options))


@given(texts, encodings, st.integers(1, 9))
def test_where_blocks_end_plays_no_part(text, encoding, block):
    assert read(text.encode(encoding), block, encoding=encoding) == text


@given(st.lists(lines), st.sampled_from(["\r\n", "\r"]), st.integers(1, 9))
def test_every_line_end_becomes_a_newline(several, ending, block):
    assert read(ending.join(several).encode(), block) == "\n".join(several)


@given(texts, st.integers(1, 9))
def test_one_byte_order_mark_is_dropped(text, block):
    assert read(b"\xef\xbb\xbf" + text.encode(), block) == text
    assert read(b"\xef\xbb\xbf\xef\xbb\xbf" + text.encode(), block) == "\ufeff" + text


@given(st.integers(0, 200), st.integers(1, 9))
def test_the_first_wrong_byte_is_counted_from_the_beginning(before, block):
    data = ("é" * before).encode() + b"\xf6groot"
    with pytest.raises(PellucidError, match=rf"^groot\.txt is not UTF-8: byte {2 * before} \(0xF6"):
        read(data, block)


def test_a_text_that_ends_within_a_character_is_refused():
    with pytest.raises(PellucidError, match=r"byte 3 \(0xC3\)"):
        read("abcé".encode()[:-1])


def test_utf_16_is_recognised_by_its_first_bytes():
    with pytest.raises(PellucidError, match=r"\(--encoding utf-16\)\.$"):
        read("groot".encode("utf-16"))
    with pytest.raises(PellucidError, match=r"\(--encoding latin-1\)\.$"):
        read("grööt".encode("latin-1"))


@pytest.mark.parametrize("encoding", ["klingon", "hex", ""])
def test_an_encoding_that_is_none_is_refused(encoding):
    with pytest.raises(PellucidError, match=f'^"{encoding}" is no encoding of text'):
        read(b"groot", encoding=encoding)


def test_a_change_is_said_once_whatever_the_number_of_files():
    said: list[str] = []
    notices = Notices(said.append)
    for _ in range(3):
        read(b"\xef\xbb\xbfi am\r\ngroot\r\n", notices=notices)
    assert said == [
        "groot.txt begins with a byte-order mark: it is dropped.",
        "groot.txt has lines that end in CR or CRLF: they are read as LF.",
    ]


def test_what_is_not_changed_is_not_mentioned():
    said: list[str] = []
    read("i am\ngroot\n\ufeff".encode(), notices=Notices(said.append))
    assert said == []
