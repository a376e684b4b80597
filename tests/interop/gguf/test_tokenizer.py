"""What a file says of its tokenizer comes true."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop.gguf.tokenizer import SPLITS, tokenizer_in
from pellucid.text.special_tokens import SpecialTokens
from tests.interop.gguf.tiny_tokenizers import fields


def made(said):
    """The tokenizer in these fields, which is there."""
    tokenizer = tokenizer_in(said)
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


def test_an_end_token_comes_behind_where_the_file_says_so():
    both = made(fields(add_bos_token=True, add_eos_token=True, eos_token_id=0))
    assert both.prompt("ab") == [1, *both.encode("ab"), 0]
    assert both.start == [1]
    assert made(fields(add_eos_token=True, eos_token_id=0)).start_id is None


def test_special_tokens_are_those_that_the_file_names():
    said = {"eos_token_id": 0, "eot_token_id": 5, "eom_token_id": 0, "padding_token_id": 7}
    assert made(fields(**said)).special == SpecialTokens(start=1, end=0, stops=(0, 5), pad=7)
    # Of those that no token has nothing is said; spelling decides nothing either.
    outside = {"bos_token_id": 61, "eos_token_id": 2**32 - 1}
    assert made(fields(**outside)).special == SpecialTokens()


def test_the_template_of_chats_comes_with_it():
    template = {"tokenizer.chat_template": "{{ messages }}"}
    assert made(fields() | template).chat_template == "{{ messages }}"
    assert made(fields()).chat_template is None
    for other in (3, "\udcff"):
        with pytest.raises(PellucidError, match="chat_template is not text"):
            tokenizer_in(fields() | {"tokenizer.chat_template": other})


def test_the_spelling_of_a_control_token_is_text():
    tokenizer = made(fields())
    assert spelled(tokenizer, "<A>") == ["<", "A", ">"]
    assert spelled(tokenizer, "<user0>") == ["<user0>"]


def test_a_file_without_a_tokenizer_has_none():
    assert tokenizer_in({}) is None
    assert tokenizer_in(fields(model="none")) is None


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
        ({"add_eos_token": True}, "eos_token_id=None is none of the 61 tokens"),
        ({"eot_token_id": "<end>"}, "eot_token_id='<end>' is not an id"),
    ],
)
def test_what_is_not_certain_is_refused(more, said):
    with pytest.raises(PellucidError, match=said):
        tokenizer_in(fields(**more))
