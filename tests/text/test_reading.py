"""Files, folders, patterns and standard input become documents, one for each file."""

import io
import os
import threading

import pytest

from pellucid.errors import PellucidError
from pellucid.text.reading import read_documents

GROOT, ROCKET = "i am groot\n", "we are rocket\n"


@pytest.fixture
def folder(tmp_path):
    """Return a folder of texts, with a picture and hidden files among them."""
    for name, content in {
        "b.txt": GROOT,
        "a.md": ROCKET,
        "deep/er/c": "é\n",
        ".hidden": "no",
        ".git/config": "no",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    return tmp_path


def texts(sources, **options):
    return ["".join(document.pieces()) for document in read_documents(sources, **options)]


def test_a_file_is_one_document(folder):
    (document,) = read_documents(folder / "b.txt")
    assert document.name == str(folder / "b.txt")
    assert "".join(document.pieces()) == "".join(document.pieces()) == GROOT


def test_several_sources_come_in_order(folder):
    assert texts([folder / "b.txt", str(folder / "a.md"), folder / "b.txt"]) == [
        GROOT,
        ROCKET,
        GROOT,
    ]


def test_a_folder_gives_every_text_below_it_sorted(folder):
    said: list[str] = []
    assert texts(folder, on_notice=said.append) == [ROCKET, GROOT, "é\n"]
    assert said == [
        f"1 of the 4 files in {folder} are left out (picture.png is one): they are not text."
    ]


def test_a_pattern_gives_the_files_that_match(folder):
    assert texts(str(folder / "*.*")[:-1] + "t*") == [GROOT]
    assert texts(folder / "**" / "[bc]*") == [GROOT, "é\n"]


def test_a_file_may_be_named_like_a_pattern(folder):
    (folder / "what?[1].txt").write_text("groot")
    assert texts(folder / "what?[1].txt") == ["groot"]


def test_standard_input_is_read_once_and_kept(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GROOT.encode())))
    (document,) = read_documents("-")
    assert document.name == "standard input"
    assert "".join(document.pieces()) == "".join(document.pieces()) == GROOT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_once_and_kept(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[GROOT])
    writer.start()
    (document,) = read_documents(pipe)
    writer.join()
    assert "".join(document.pieces()) == "".join(document.pieces()) == GROOT


def test_another_encoding_is_read_as_such(tmp_path):
    path = tmp_path / "grut.txt"
    path.write_text("grüt\n", encoding="utf-16")
    for source in (path, tmp_path):
        assert texts(source, encoding="utf-16") == ["grüt\n"]


def test_what_is_done_to_many_files_is_said_once(tmp_path):
    for name in "abc":
        (tmp_path / name).write_bytes(b"\xef\xbb\xbfgroot\r\n")
    said: list[str] = []
    assert texts([tmp_path, tmp_path / "a"], on_notice=said.append) == ["groot\n"] * 4
    assert [text.partition("a ")[2] for text in said] == [
        "begins with a byte-order mark: it is dropped.",
        "has lines that end in CR or CRLF: they are read as LF.",
    ]


class TestWhatCannotBeRead:
    def test_a_missing_file(self, tmp_path):
        with pytest.raises(PellucidError, match=r"^There is no file .*lost\.txt\. Check"):
            texts(tmp_path / "lost.txt")

    def test_a_pattern_without_a_match(self, tmp_path):
        with pytest.raises(PellucidError, match=r"^No file matches .*\*\.txt"):
            texts(tmp_path / "*.txt")

    @pytest.mark.parametrize("content", [None, b"\0\1\2"])
    def test_a_folder_without_text(self, tmp_path, content):
        if content is not None:
            (tmp_path / "a").write_bytes(content)
        with pytest.raises(PellucidError, match="has no text file in it"):
            texts(tmp_path)

    def test_a_file_that_vanishes_before_it_is_read(self, folder):
        (document,) = read_documents(folder / "b.txt")
        (folder / "b.txt").unlink()
        with pytest.raises(PellucidError, match=r"^There is no file .*b\.txt"):
            list(document.pieces())

    def test_another_encoding_than_was_said(self, folder):
        (folder / "b.txt").write_bytes(b"gr\xf6t")
        with pytest.raises(PellucidError, match=r"b\.txt is not UTF-8: byte 2"):
            texts(folder)

    @pytest.mark.parametrize("source", ["-", "anything", "."])
    def test_an_encoding_that_is_none(self, source):
        with pytest.raises(PellucidError, match=r'^"klingon" is no encoding'):
            texts(source, encoding="klingon")
