"""Nothing in a label is hidden, whatever characters it holds."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.labels import clean, label

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_nothing_in_a_label_is_hidden(text):
    for shown in (label(text), clean(text)):
        assert all(character.isprintable() or character in "\u200c\u200d" for character in shown)
        assert not shown[:1] or not unicodedata.category(shown[0]).startswith("M")
        assert not shown.endswith(("\u200c", "\u200d"))
    assert label(text) == label(text).strip(" ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("groot", "groot"),
        (" groot", "␣groot"),
        ("a b ", "a b␣"),
        ("  ", "␣␣"),
        ("a\nb", "a↵b"),
        ("\x1b[31m", "U+001B[31m"),
        ("abc\u202ecba", "abcU+202Ecba"),
        ("\ud83d", "U+D83D"),
        ("\u0301", "◌\u0301"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("\u200d", "U+200D"),
        ("a\u200d", "aU+200D"),
        ("日本語", "日本語"),
    ],
)
def test_what_cannot_be_seen_is_spelt_out(text, shown):
    assert label(text) == shown
