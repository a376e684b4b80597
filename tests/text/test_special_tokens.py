"""Which ids begin, end and fill up texts: as stated, else as they are spelled."""

import pytest

from pellucid.errors import PellucidError
from pellucid.text.corpora import GROOT
from pellucid.text.special_tokens import SpecialTokens, read_special_tokens, spelled, written
from pellucid.text.tokenizer import Tokenizer

STATED = SpecialTokens(start=3, end=5, stops=(6, 5), pad=0)


def test_what_is_written_is_read():
    for special in (SpecialTokens(), STATED, SpecialTokens(stops=(1,))):
        assert read_special_tokens(written(special)) == special


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"ends": [1]}', b'{"stops": ["a"]}', b'{"start": true}', b"\xff", b"[" * 9999],
)
def test_anything_else_is_refused(content):
    with pytest.raises(PellucidError, match="does not hold special tokens"):
        read_special_tokens(content)


def test_spelling_decides_where_nothing_is_stated():
    groot = Tokenizer.words(GROOT)
    assert groot.stated is None
    assert groot.special == SpecialTokens(start=1, end=2, stops=(2,), pad=0)
    assert spelled({"[PAD]": 7, "</s>": 4}, start=None) == SpecialTokens(end=4, stops=(4,), pad=7)
    assert spelled({}, start=None) == SpecialTokens()


def test_what_is_stated_wins_over_spelling():
    groot = Tokenizer.words(GROOT).with_settings(special=STATED)
    assert (groot.end_id, groot.pad_id, groot.end_ids) == (5, 0, frozenset({5, 6}))
    assert groot.sequences(["i am"])[0][-1] == 5
    # What prompts get is said by the tokenizer's own file.
    assert groot.start_id == 1


def test_nothing_may_be_stated_either():
    groot = Tokenizer.words(GROOT).with_settings(special=SpecialTokens())
    assert (groot.end_id, groot.pad_id, groot.end_ids) == (None, None, frozenset())


@pytest.mark.parametrize(
    ("special", "named"),
    [
        (SpecialTokens(start=24), "start=24"),
        (SpecialTokens(stops=(2, 99)), r"stops\[1\]=99"),
        (SpecialTokens(pad=-1), "pad=-1"),
    ],
)
def test_an_id_that_no_token_has_is_named(special, named):
    with pytest.raises(PellucidError, match=rf"{named} is none of the 24 tokens"):
        Tokenizer.words(GROOT).with_settings(special=special)


def test_other_special_tokens_make_another_digest():
    groot = Tokenizer.words(GROOT)
    digests = {groot.digest, groot.with_settings(special=STATED).digest}
    assert len(digests) == 2
    assert groot.with_settings(special=None).digest == groot.digest
