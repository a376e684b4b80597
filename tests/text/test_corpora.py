"""Files are read as UTF-8 text, the same on every platform."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.corpora import GROOT, read_sentences, read_text


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("corpus") / "mine.txt"


def test_groot_has_19_sentences_of_three_words_and_21_words():
    assert len(set(GROOT)) == 19
    assert {len(sentence.split()) for sentence in GROOT} == {3}
    assert len({word for sentence in GROOT for word in sentence.split()}) == 21


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff"))


lines = texts.filter(lambda text: text.strip() and "\n" not in text)


@given(st.lists(lines, min_size=2), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_a_file_gives_its_text_whatever_ends_its_lines(path, several, ending, marked):
    mark = b"\xef\xbb\xbf" if marked else b""
    path.write_bytes(mark + ending.join(several).encode())
    assert read_text(path) == "\n".join(several)


@given(st.lists(lines, min_size=1))
def test_each_line_is_a_sentence_and_blank_lines_are_none(path, several):
    path.write_text("\n \n\n".join(several) + "\n\n", encoding="utf-8")
    assert read_sentences(path) == tuple(several)


def test_only_the_first_byte_order_mark_is_dropped(path):
    path.write_bytes(b"\xef\xbb\xbf\xef\xbb\xbfgroot")
    assert read_text(str(path)) == "\ufeffgroot"


@pytest.mark.parametrize("read", [read_text, read_sentences])
class TestWhatCannotBeRead:
    def test_a_missing_file(self, read, tmp_path):
        with pytest.raises(PellucidError, match=r"^There is no file .*lost\.txt"):
            read(tmp_path / "lost.txt")

    def test_a_folder(self, read, tmp_path):
        with pytest.raises(PellucidError, match="is a folder"):
            read(tmp_path)

    def test_a_file_where_a_folder_should_be(self, read, path):
        path.write_text("groot")
        with pytest.raises(PellucidError, match="cannot be read: Not a directory"):
            read(path / "more.txt")

    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
    def test_bytes_that_are_not_utf_8(self, read, path, mark):
        path.write_bytes(mark + b"i am " + b"gr\xf6\xf6t")
        position = len(mark) + 7
        with pytest.raises(PellucidError, match=f"is not UTF-8: byte {position} \\(0xF6\\)"):
            read(path)

    def test_utf_16(self, read, path):
        path.write_text("i am groot", encoding="utf-16")
        with pytest.raises(PellucidError, match=r"is not UTF-8: byte 0 \(0x(FF|FE)\)"):
            read(path)

    @pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\r\n \n\t"])
    def test_nothing(self, read, path, content):
        path.write_bytes(content)
        with pytest.raises(PellucidError, match="is empty"):
            read(path)
