"""What is shown can be seen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.text.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("groot", "groot"),
        ("<START>", "<START>"),
        ("", ""),
        (" ", "␣"),
        ("a\r\n\tb", "a␍↵⇥b"),
        ("\0", "U+0000"),
        ("\u200d", "U+200D"),
        ("e\u0301", "e\u0301"),
        ("\u0301", "◌\u0301"),
        ("👩", "👩"),
    ],
)
def test_shown(text, shown):
    assert visible(text) == shown


@given(st.text(min_size=1))
def test_everything_leaves_a_mark_of_its_own(text):
    shown = visible(text)
    assert shown.isprintable()
    assert not any(char.isspace() for char in shown)
    assert not unicodedata.category(shown[0]).startswith("M")
