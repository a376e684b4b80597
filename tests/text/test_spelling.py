"""The bytes of a token are those it decodes to."""

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers

from pellucid.text.spelling import byte_level, marked_words, reader_for

texts = st.text(st.characters(exclude_categories=["Cs"]))


def test_every_byte_has_the_spelling_that_the_library_gives_it():
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    assert sorted(byte_level(char) for char in alphabet) == [bytes([byte]) for byte in range(256)]


@given(texts)
def test_the_spelling_of_a_text_reads_as_its_bytes(text):
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    spelled = "".join(piece for piece, _ in splitter.pre_tokenize_str(text))
    assert byte_level(spelled) == text.encode()


def test_a_token_with_other_characters_was_not_spelled_in_bytes():
    assert byte_level("groot 木") == "groot 木".encode()


@pytest.mark.parametrize("token", ["▁groot", "gr", "é", "▁▁", "<0x0A>", "<0xE2>"])
def test_a_marked_word_has_the_bytes_that_it_decodes_to(token):
    inner = tokenizers.Tokenizer(models.WordLevel({"a": 0, token: 1}, unk_token="a"))
    inner.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    assert marked_words(token).decode(errors="replace") == inner.decode([1])


@pytest.mark.parametrize(
    ("decoder", "reader"),
    [
        (None, str.encode),
        (decoders.Fuse(), str.encode),
        (decoders.ByteLevel(), byte_level),
        (decoders.Sequence([decoders.ByteLevel(), decoders.Fuse()]), byte_level),
        (decoders.Metaspace(), marked_words),
        (decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()]), marked_words),
    ],
)
def test_the_decoder_says_how_tokens_are_spelled(decoder, reader):
    assert reader_for(decoder) is reader
