"""The error names what is unknown and what comes near."""

import pytest

from pellucid.text.unknown import unknown_error

TOKENS = ("<PAD>", "<START>", "<END>", "cafe", "groot", "tree", " ")


def message(*unknown):
    return str(unknown_error(unknown, tokens=TOKENS, special=TOKENS[:3]))


def test_one_unknown_word():
    assert message("grot") == ('"grot" is not in this vocabulary of 7 tokens. Did you mean groot?')


def test_several_unknown_words():
    assert message("grot", "xyz", "tre") == (
        '"grot" is not in this vocabulary of 7 tokens. Did you mean groot? '
        'Nor is "xyz". Nor is "tre". Did you mean tree?'
    )


def test_no_more_than_five_are_named():
    assert message(*"abcde").endswith('Nor is "e".')
    assert message(*"abcdefg").endswith('Nor is "e". (And 2 more.)')


@pytest.mark.parametrize("other", ["CAFE", "café", "cafe\u0301", "ｃａｆｅ"])
def test_case_accents_and_width_do_not_hide_what_is_near(other):
    assert message(other).endswith("Did you mean cafe?")


def test_what_is_invisible_is_shown():
    assert message("\n").startswith('"↵" is not')
    assert message("\u00a0") == ('"U+00A0" is not in this vocabulary of 7 tokens. Did you mean ␣?')


def test_a_special_token_is_called_one_and_never_suggested():
    special = '"<START>" is a special token, added where it belongs, never typed.'
    assert message("<START>") == special
    assert message("<START>", "grot") == f"{message('grot')} {special}"
    assert "Did you mean" not in message("<START")
