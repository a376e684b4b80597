"""Text comes out of a stream whole, character by character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.text.corpora import GROOT
from pellucid.text.streaming import TextStream
from pellucid.text.tokenizer import Tokenizer

texts = st.text(st.characters(exclude_categories=["Cs"]))
BYTES = Tokenizer.byte_pairs(["i am groot 👩‍👧 é"] * 9, vocab_size=280)
WORDS = Tokenizer.words(GROOT)


def pushed(tokenizer, ids):
    stream = tokenizer.stream()
    return [*(stream.push(id) for id in ids), stream.finish()]


@given(texts)
def test_a_byte_level_text_comes_back_in_whole_characters(text):
    parts = pushed(BYTES, BYTES.encode(text))
    assert "".join(parts) == text
    # A part with U+FFFD in it would be half a character, unless the text itself has some.
    assert sum(part.count("\ufffd") for part in parts) == text.count("\ufffd")


@given(st.lists(st.integers(0, BYTES.vocab_size - 1)))
def test_any_bytes_come_as_they_decode_together(ids):
    assert "".join(pushed(BYTES, ids)) == BYTES.decode(ids)


@given(st.lists(st.integers(0, WORDS.vocab_size - 1)))
def test_words_come_with_the_spaces_between_them(ids):
    assert "".join(pushed(WORDS, ids)) == WORDS.decode(ids)


@given(texts.filter(bool))
def test_characters_come_one_by_one(text):
    tokenizer = Tokenizer.characters([text])
    parts = pushed(tokenizer, tokenizer.prompt(text))
    assert "".join(parts) == text
    if "\ufffd" not in text:
        assert parts == ["", *text, ""]


def test_nothing_is_held_back_that_is_whole():
    parts = pushed(BYTES, BYTES.encode("groot é"))
    assert all(parts[:-1])
    assert parts[-1] == ""


@pytest.mark.parametrize("n_bytes", [1, 2, 3])
def test_a_character_that_is_never_finished_comes_as_the_sign_for_it(n_bytes):
    single = Tokenizer.byte_pairs(["groot"], vocab_size=257)
    ids = single.encode("𐍈")[:n_bytes]
    assert pushed(single, ids) == [*[""] * n_bytes, "\ufffd"]


def test_a_finished_stream_begins_anew():
    stream = WORDS.stream()
    for _ in range(2):
        assert [stream.push(id) for id in WORDS.prompt("i am")] == ["", "i", " am"]
        assert stream.finish() == ""


def test_tokens_that_stand_for_no_text_are_not_held():
    decoded = []

    def decode(ids: list[int]) -> str:
        decoded.append(len(ids))
        return "".join("ab"[id] for id in ids if id < 2)

    stream = TextStream(decode)
    assert [stream.push(id) for id in [7] * 1000 + [0, 7, 1]] == [""] * 1000 + ["a", "", "b"]
    assert max(decoded) <= 3
