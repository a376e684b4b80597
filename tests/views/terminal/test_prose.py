"""Words on a terminal: readable lines, a clear order of headings, nothing hidden."""

from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.markup import escape
from pellucid.views.scene import Equation, Heading, Listing, Prose
from pellucid.views.terminal import theme
from pellucid.views.terminal.page import Page
from pellucid.views.terminal.prose import (
    caption,
    draw_equation,
    draw_heading,
    draw_listing,
    draw_prose,
    remark,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)


def plain(lines):
    return [line.plain for line in lines]


@given(ANY_TEXT, st.integers(40, 200))
def test_no_line_is_wider_than_the_page(text, width):
    page = Page(width=width)
    drawings = (
        draw_prose(Prose(text), page),
        draw_heading(Heading(text), page),
        draw_equation(Equation(text), page),
        draw_listing(Listing(text, title=text), page),
        caption(text, page, name=text, formula=text),
        remark(text, page),
    )
    for lines in drawings:
        for line in lines:
            assert line.cell_len <= width
            assert all(c.isprintable() or c in "\u200c\u200d" for c in line.plain)


def test_headings_differ_by_the_rule_below_them():
    page = Page(width=60)
    assert plain(draw_heading(Heading("Part 1"), page)) == ["Part 1", "━" * 60]
    assert plain(draw_heading(Heading("Scores", 2), page)) == ["Scores", "──────"]
    assert plain(draw_heading(Heading("One head", 3), page)) == ["One head"]


def test_prose_is_no_wider_than_can_be_read():
    lines = draw_prose(Prose("word " * 100), Page(width=200))
    assert 80 <= max(line.cell_len for line in lines) <= 88


def test_marks_become_styles_and_paragraphs_are_set_apart():
    lines = draw_prose(Prose("See **it**, `code` and [a link](logits).\n\nNext."), Page())
    assert plain(lines) == ["See it, code and a link.", "", "Next."]
    styled = {lines[0].plain[span.start : span.end]: span.style for span in lines[0].spans}
    assert styled == {"it": theme.TITLE, "code": theme.CODE, "a link": theme.LINK}


@given(st.text("abc[]*`()\\/", min_size=1, max_size=20))
def test_escaped_words_stand_as_they_are(word):
    assert plain(draw_prose(Prose(f"x {escape(word)} y"), Page())) == [f"x {word} y"]


def test_rich_markup_is_not_obeyed():
    assert plain(draw_prose(Prose("[red]x[/red] :smile:"), Page())) == ["[red]x[/red] :smile:"]


def test_an_equation_keeps_its_lines():
    assert plain(draw_equation(Equation("a = b + c\n  = 3"), Page())) == ["  a = b + c", "    = 3"]


def test_a_listing_keeps_its_columns_and_is_cut_rather_than_broken():
    lines = draw_listing(Listing("ids\n\t└─ embed\n" + "x" * 50, title="Flow"), Page(width=40))
    assert plain(lines) == ["Flow", "ids", "    └─ embed", "x" * 39 + "…"]


def test_a_name_stands_beside_its_title_or_below_it_and_is_said_once():
    page = Page(width=40)
    assert plain(caption("Pattern", page, name="attn.pattern")) == ["Pattern   attn.pattern"]
    title = "Pattern: how attention is shared"
    assert plain(caption(title, page, name="attn.pattern")) == [title, "attn.pattern"]
    assert plain(caption("head.w", page, name="head.w")) == ["head.w"]
    assert caption(None, page) == ()
