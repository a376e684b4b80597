"""Words on a figure: in the style of what they are, in lines that keep within their room."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.fonts import MONOSPACED
from pellucid.views.figures.theme import LIGHT
from pellucid.views.figures.words import MEASURE, set_runs, words_extent
from pellucid.views.markup import escape
from pellucid.views.scene import Equation, Heading, Listing, Prose
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps
from tests.views.figures.sheets import HOSTILE, drawn, styled, texts

PROSE = Prose("Each *row* of **the table** is `a vector`, as [shown](embed.out), twice.\n\nMore.")


def runs(words, room=300.0):
    with styled():
        return list(set_runs(words, room))


def lines(words, room=300.0):
    found: dict[float, str] = {}
    for run in runs(words, room):
        found[run.y] = f"{found.get(run.y, '')} {run.text}".strip(" ")
    return list(found.values())


def test_prose_keeps_its_words_and_its_paragraphs():
    assert " ".join(lines(PROSE)) == "Each *row* of the table is a vector , as shown , twice. More."
    assert lines(PROSE)[-1] == "More."


def test_marks_become_styles():
    styles = {run.text: run.style for run in runs(PROSE)}
    assert styles["the table"] == "bold"
    assert styles["a vector"] == "code"
    assert styles["shown"] == "link"
    looks = {text.get_text(): text for text in drawn(PROSE).texts}
    assert looks["the table"].get_fontweight() == "bold"
    assert looks["a vector"].get_color() == LIGHT.probability
    assert looks["shown"].get_color() == LIGHT.positive


def test_runs_of_a_line_follow_each_other_with_one_space_or_none():
    (bold,) = (run for run in runs(PROSE) if run.style == "bold")
    (before,) = (run for run in runs(PROSE) if run.text.startswith("Each"))
    (code,) = (run for run in runs(PROSE) if run.style == "code")
    (comma,) = (run for run in runs(PROSE) if run.text.startswith(", as"))
    space = runs(Prose("a b"))[0].across - runs(Prose("ab"))[0].across
    assert bold.x - (before.x + before.across) == pytest.approx(space, abs=0.3)
    (after,) = (run for run in runs(PROSE) if run.text == "is")
    assert after.x - (bold.x + bold.across) == pytest.approx(space, abs=0.3)
    assert comma.x == pytest.approx(code.x + code.across, abs=0.1)


def test_no_text_begins_or_ends_with_a_space_which_vector_formats_would_drop():
    assert all(run.text == run.text.strip(" ") for run in runs(PROSE))


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["groot", "**am**", "`x y`", "tree,"]), min_size=1, max_size=25))
def test_lines_keep_within_the_room_and_a_readable_length(words):
    for room in (90.0, 2000.0):
        for run in runs(Prose(" ".join(words)), room):
            assert run.x + run.across <= min(room, MEASURE * 9.0) + 0.01


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_strange_goes_beyond_its_room(text):
    every = (Prose(escape(text)), Heading(text), Equation(text), Listing(text, title=text))
    for words in every:
        assert all(run.x + run.across <= 200.01 for run in runs(words, 200.0))
        drawn(words, 200.0)


def test_headings_are_larger_the_higher_they_stand():
    sizes = [runs(Heading("A walk", level))[0].size for level in (1, 2, 3)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_an_equation_keeps_its_lines():
    assert lines(Equation("z = Σ a·b\n  = 0.5")) == ["z = Σ a·b", "= 0.5"]


def test_a_listing_keeps_its_columns_and_is_made_smaller_before_it_is_cut():
    listing = Listing("embed\n └─ attn", title="Tree")
    assert lines(listing) == ["Tree", "embed", "\u00a0└─\u00a0attn"]
    assert drawn(listing).texts[1].get_fontfamily()[0] == MONOSPACED
    wide = runs(Listing("x" * 200))[0]
    assert wide.size < 9.0
    assert wide.across <= 300.01


def test_words_are_given_the_room_they_take():
    with styled():
        extent = words_extent(PROSE, 200.0)
    last = max(run.y for run in runs(PROSE, 200.0))
    assert extent.words
    assert last < extent.height < last + 2 * 9.0
    assert max(run.x + run.across for run in runs(PROSE, 200.0)) <= extent.width <= 200.0


def test_a_dollar_is_a_dollar():
    axes = drawn(Prose("costs $x$ and $y$"))
    assert texts(axes) == ["costs $x$ and $y$"]
    assert not axes.texts[0].get_parse_math()


def test_every_kind_of_words_is_drawn_without_a_warning():
    for text in HOSTILE:
        figure = draw_figure([Prose(f"`code` {escape(text)}"), Listing(text, text), Equation(text)])
        assert_nothing_cut(figure)
        assert_nothing_overlaps(figure)


def test_a_long_line_of_a_listing_is_cut_before_it_is_too_small_to_read():
    (line,) = runs(Listing("x" * 399))
    assert "…" in line.text
    assert line.size == pytest.approx(0.6 * 9.0)
    assert line.across <= 300.01


def test_a_mark_stands_on_no_letter_of_another_style():
    (mark,) = (run for run in runs(Prose("`code` \u0301 tree")) if run.style == "text")
    assert mark.text == "◌\u0301 tree"
