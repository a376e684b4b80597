"""What a file says of its tokenizer comes true."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop.gguf.tokenizer import SPLITS, read_tokenizer
from tests.interop.gguf.tiny_tokenizers import fields


def made(said):
    """The tokenizer in these fields, which is there."""
    tokenizer = read_tokenizer(said)
    assert tokenizer is not None
    return tokenizer


def spelled(tokenizer, text):
    return [tokenizer.tokens[id] for id in tokenizer.encode(text)]


def test_pairs_are_merged_and_come_back():
    tokenizer = made(fields())
    assert spelled(tokenizer, "abc ab") == ["abc", "Ġab"]
    assert tokenizer.decode(tokenizer.encode("abc ab")) == "abc ab"


@pytest.mark.parametrize("pre", SPLITS)
def test_every_split_keeps_the_text(pre):
    tokenizer = made(fields(pre=pre, add_bos_token=False))
    assert tokenizer.decode(tokenizer.encode(" ab 12 abc")) == " ab 12 abc"


def test_digits_stand_alone_where_the_split_says_so():
    tokens = [*fields()["tokenizer.ggml.tokens"][:-1], "12"]
    with_merge = fields(tokens=tokens, merges=["1 2"], token_type=None)
    together = made(with_merge | {"tokenizer.ggml.pre": "gpt-2"})
    alone = made(with_merge)
    assert spelled(together, "12") == ["12"]
    assert spelled(alone, "12") == ["1", "2"]


def test_the_start_token_comes_first_where_the_file_says_so():
    assert made(fields()).start_id is None
    assert made(fields(add_bos_token=True)).prompt("ab")[0] == 1
    assert made(fields(pre="llama-bpe")).start_id == 1
    assert made(fields(pre="llama-bpe", add_bos_token=False)).start_id is None


def test_the_spelling_of_a_control_token_is_text():
    tokenizer = made(fields())
    assert spelled(tokenizer, "<A>") == ["<", "A", ">"]
    assert spelled(tokenizer, "<user0>") == ["<user0>"]


def test_a_file_without_a_tokenizer_has_none():
    assert read_tokenizer({}) is None
    assert read_tokenizer(fields(model="none")) is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"model": "rwkv"}, "model='rwkv'"),
        ({"pre": "novel-bpe"}, "pre='novel-bpe'"),
        ({"pre": None}, "pre=None"),
        ({"pre": "smolm"}, "smollm"),
        ({"tokens": None}, "tokens is missing"),
        ({"tokens": ["a", "a"]}, "twice"),
        ({"tokens": ["\udcff"]}, "not UTF-8"),
        ({"merges": ["a"]}, "not two tokens"),
        ({"merges": ["a zz"]}, "does not fit"),
        ({"token_type": np.ones(3, np.int32)}, "3 types for 61 tokens"),
        ({"token_type": 1}, "not a list of numbers"),
        ({"add_bos_token": True, "bos_token_id": 61}, "bos_token_id=61"),
        ({"add_bos_token": 1}, "neither true nor false"),
    ],
)
def test_what_is_not_certain_is_refused(more, said):
    with pytest.raises(PellucidError, match=said):
        read_tokenizer(fields(**more))
