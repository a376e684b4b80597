"""A document's pieces are its text, cut where tokenizers cut."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.text.corpora import GROOT
from pellucid.text.documents import LONGEST_PIECE, Document, pieces_of
from pellucid.text.tokenizer import Tokenizer

# Long enough to be cut, of few different signs, so that every kind of neighbour occurs.
signs = st.sampled_from([" ", "\n", "\n\n", " \n", "  ", "a", "groot", "é", "1", ",", "'s", "\t"])
long_texts = st.builds(
    lambda parts, times: "".join(parts) * times, st.lists(signs, min_size=1), st.integers(1, 300)
)


@given(long_texts, st.integers(1, 700))
def test_the_pieces_are_the_text_wherever_its_blocks_end(text, block):
    whole = list(Document.of(text).pieces())
    blocks = [text[start : start + block] for start in range(0, len(text), block)]
    assert "".join(whole) == text
    assert list(Document("blocks", lambda: blocks).pieces()) == whole
    assert all(0 < len(piece) <= LONGEST_PIECE for piece in whole)


@given(long_texts)
def test_pieces_have_the_ids_of_the_whole(text):
    kinds = [Tokenizer.characters([text])]
    # What is longer than a piece has to be cut somewhere.
    if all(len(run) < LONGEST_PIECE for run in re.findall(r"\s*\S+|\s+", text)):
        kinds.append(Tokenizer.byte_pairs([text], vocab_size=300))
        kinds += [Tokenizer.words([text])] if text.split() else []
    pieces = list(Document.of(text).pieces())
    for tokenizer in kinds:
        joined = [id for ids in tokenizer.encode_all(pieces) for id in ids]
        assert joined == tokenizer.encode(text)


def test_pieces_end_with_lines_where_there_are_lines():
    text = "\n".join(GROOT * 20)
    assert all(piece.endswith("\n") for piece in list(Document.of(text).pieces())[:-1])


def test_words_are_cut_only_where_they_are_too_long():
    pieces = list(Document.of(" ".join(GROOT * 20)).pieces())
    assert all(piece.startswith(" ") for piece in pieces[1:])
    endless = list(Document.of("x" * (2 * LONGEST_PIECE + 1)).pieces())
    assert [len(piece) for piece in endless] == [LONGEST_PIECE, LONGEST_PIECE, 1]


@pytest.mark.parametrize("text", ["", "groot", "x" * LONGEST_PIECE])
def test_a_short_text_is_one_piece(text):
    assert list(Document.of(text).pieces()) == [text] * bool(text)


def test_a_document_is_read_as_often_as_one_likes():
    document = Document.of("i am groot")
    assert list(document.pieces()) == list(document.pieces()) == ["i am groot"]
    assert list(pieces_of([document, document])) == ["i am groot", "i am groot"]
