"""Words: measured, shortened in the middle, wrapped, whatever they hold."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.textpath import TextPath

from pellucid.views.figures.text import label, safe, shortened, width, wrapped
from tests.views.figures.sheets import HOSTILE

ANY = st.text(st.characters(exclude_categories=()), max_size=40)


def test_a_text_is_as_wide_as_it_is_drawn():
    drawn = TextPath((0, 0), "groot, the tree", size=50).get_extents()
    assert width("groot, the tree", 50) == pytest.approx(drawn.x1, abs=3.0)
    assert width("groot", 20) == pytest.approx(2 * width("groot", 10))
    assert width("groot", 9, bold=True) > width("groot", 9)


def test_long_words_keep_their_beginning_and_end():
    short = shortened("transformer" * 9, 80.0, 9.0)
    assert short.startswith("trans")
    assert short.endswith("mer")
    assert short.count("…") == 1
    assert 70.0 < width(short, 9.0) <= 80.0
    assert shortened("groot", 80.0, 9.0) == "groot"


def test_a_cut_parts_no_mark_from_its_letter():
    for room in range(20, 120, 3):
        tail = shortened("e\u0301" * 60, float(room), 9.0).partition("…")[2]
        assert not tail or not unicodedata.category(tail[0]).startswith("M")


def test_a_label_shows_its_spaces_and_its_dollars():
    assert label(" $x$ ", 200.0, 9.0) == "␣$x$␣"
    assert safe("a\nb\x1b") == "a↵bU+001B"


@given(ANY, st.floats(20.0, 300.0))
def test_labels_and_lines_keep_within_their_room(text, room):
    assert width(label(text, room, 9.0), 9.0) <= room
    for line in wrapped(safe(text), room, 9.0):
        assert width(line, 9.0) <= room


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_is_too_strange_or_too_long(text):
    assert width(label(text, 90.0, 9.0), 9.0) <= 90.0
    assert all(width(line, 9.0) <= 90.0 for line in wrapped(safe(text), 90.0, 9.0))


@given(st.lists(st.text("abc", min_size=1, max_size=6), max_size=30))
def test_wrapping_keeps_every_word_in_order(words):
    lines = wrapped(" ".join(words), 120.0, 9.0)
    assert " ".join(lines).split() == words
    # No line ends while the next word would still have fitted.
    for line, below in pairwise(lines):
        assert width(f"{line} {below.split()[0]}", 9.0) > 120.0
