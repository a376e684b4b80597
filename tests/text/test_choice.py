"""A word on the command line becomes a tokenizer."""

import pytest

from pellucid.errors import PellucidError
from pellucid.text.choice import DEFAULT_VOCAB_SIZE, tokenizer_for
from pellucid.text.corpora import GROOT
from pellucid.text.documents import Document
from pellucid.text.tokenizer import Tokenizer

DOCUMENTS = [Document.of("\n".join(GROOT)), Document.of("groot is tall")]


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        ("char", "character"),
        ("character", "character"),
        ("word", "word"),
        ("bpe", "byte-pair"),
        ("byte-pair", "byte-pair"),
    ],
)
def test_a_choice_is_made_from_every_document(choice, kind):
    tokenizer = tokenizer_for(choice, DOCUMENTS)
    assert tokenizer.kind == kind
    tokenizer.encode("groot is tall")


@pytest.mark.parametrize("choice", ["char", "word", "bpe"])
def test_running_text_has_an_end_token_alone(choice):
    tokenizer = tokenizer_for(choice, DOCUMENTS)
    assert (tokenizer.pad_id, tokenizer.start_id, tokenizer.end_id) == (None, None, 0)


def test_a_path_is_that_tokenizer(tmp_path):
    made = Tokenizer.words(GROOT)
    made.save(tmp_path / "tokenizer.json")
    for choice in (tmp_path, tmp_path / "tokenizer.json", str(tmp_path)):
        assert tokenizer_for(choice, DOCUMENTS).digest == made.digest


def test_byte_pairs_have_the_size_that_was_asked_for():
    assert tokenizer_for("bpe", DOCUMENTS, vocab_size=270).vocab_size == 270
    assert tokenizer_for("bpe", DOCUMENTS).vocab_size <= DEFAULT_VOCAB_SIZE


@pytest.mark.parametrize("choice", ["char", "word"])
def test_an_unknown_token_is_made_on_request(choice):
    assert tokenizer_for(choice, DOCUMENTS, unknown=True).unknown_id == 1


def test_what_is_no_choice_is_refused(tmp_path):
    with pytest.raises(PellucidError, match=r"^bep is no tokenizer: .* Did you mean bpe"):
        tokenizer_for("bep", DOCUMENTS)
    with pytest.raises(PellucidError, match=r"tokenizer\.json is no tokenizer"):
        tokenizer_for(tmp_path, DOCUMENTS)


@pytest.mark.parametrize("choice", ["char", "word", "mine.json"])
def test_a_size_is_for_byte_pairs(choice):
    with pytest.raises(PellucidError, match=r"^vocab_size=300 is for byte pairs"):
        tokenizer_for(choice, DOCUMENTS, vocab_size=300)


@pytest.mark.parametrize("size", [0, 256])
def test_a_size_has_room_for_the_bytes(size):
    with pytest.raises(PellucidError, match=f"^vocab_size={size}: .* at least 257"):
        tokenizer_for("bpe", DOCUMENTS, vocab_size=size)


@pytest.mark.parametrize("choice", ["bpe", "mine.json"])
def test_only_words_and_characters_can_be_unknown(choice):
    with pytest.raises(PellucidError, match=r"^An unknown token is for words and characters"):
        tokenizer_for(choice, DOCUMENTS, unknown=True)
