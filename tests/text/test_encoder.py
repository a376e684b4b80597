"""An array of ids holds what the tokenizer gives."""

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers

from pellucid.errors import PellucidError
from pellucid.text.encoder import Encoder
from pellucid.text.tokenizer import Tokenizer

texts = st.text(st.characters(exclude_categories=["Cs"]))
TEXTS = ["i am groot 👩‍👧\n", "", "é\r\n\0"]


TOKENIZERS = (
    Tokenizer.characters(TEXTS),
    Tokenizer.characters(TEXTS, running=True),
    Tokenizer.characters(TEXTS, unknown=True),
    Tokenizer.words(TEXTS, running=True),
    Tokenizer.byte_pairs(TEXTS, vocab_size=270),
)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=repr)
def test_ids_are_the_tokenizers_own(tokenizer):
    expected = [id for ids in tokenizer.encode_all(TEXTS) for id in ids]
    assert Encoder(tokenizer)(TEXTS).tolist() == expected
    assert Encoder(tokenizer)([]).tolist() == []


@given(st.lists(texts))
def test_unknown_characters_have_the_unknown_id(several):
    tokenizer = Tokenizer.characters(["abc"], unknown=True)
    expected = [id for ids in tokenizer.encode_all(several) for id in ids]
    assert Encoder(tokenizer)(several).tolist() == expected


@pytest.mark.parametrize("wrong", ["x", "\U0010ffff", "\ud800"])
def test_what_the_tokenizer_refuses_is_refused(wrong):
    tokenizer = Tokenizer.characters(["abc"])
    with pytest.raises(PellucidError) as expected:
        tokenizer.encode_all(["ab", "c" + wrong])
    with pytest.raises(PellucidError) as caught:
        Encoder(tokenizer)(["ab", "c" + wrong])
    assert str(caught.value) == str(expected.value)


def test_a_text_that_is_changed_first_is_looked_up_as_changed(tmp_path):
    path = tmp_path / "tokenizer.json"
    Tokenizer.characters(["ABCabc"]).save(path)
    inner = tokenizers.Tokenizer.from_file(str(path))
    inner.normalizer = normalizers.Lowercase()
    assert np.array_equal(Encoder(Tokenizer(inner))(["ABC"]), [6, 7, 8])
