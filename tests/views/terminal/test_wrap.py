"""Wrapped text keeps its words, its order and its styles, within the width."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pellucid.views.terminal.wrap import wrap

WORDS = st.lists(st.text("ab日", min_size=1, max_size=12), min_size=1, max_size=30)


@given(WORDS, st.integers(2, 40))
def test_no_line_is_wider_than_the_width_and_no_character_is_lost(words, width):
    lines = wrap(Text(" ".join(words)), width)
    assert all(line.cell_len <= width for line in lines)
    assert "".join(line.plain.replace(" ", "") for line in lines) == "".join(words)


@given(WORDS)
def test_words_that_fit_are_not_broken(words):
    lines = wrap(Text(" ".join(words)), 24)
    assert [word for line in lines for word in line.plain.split()] == words


@given(WORDS)
def test_a_line_breaks_only_where_the_next_word_does_not_fit(words):
    lines = wrap(Text(" ".join(words)), 24)
    for line, following in pairwise(lines):
        first = Text(following.plain.split()[0])
        assert line.cell_len + 1 + first.cell_len > 24


def test_styles_stay_on_their_words():
    text = Text("plain ").append("bold", "bold").append(" plain again")
    (line,) = [line for line in wrap(text, 6) if line.plain == "bold"]
    assert [(span.start, span.end, span.style) for span in line.spans] == [(0, 4, "bold")]


def test_leading_spaces_stay():
    assert [line.plain for line in wrap(Text("  a b"), 20)] == ["  a b"]
