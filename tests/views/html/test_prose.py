"""Words as HTML: headings, marks, links, formulas, lines that stay."""

import pytest

from pellucid.views.html.prose import draw_equation, draw_heading, draw_listing, draw_prose
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.style import sheet_of
from pellucid.views.html.tree import draw_tree
from pellucid.views.html.words import label, shortened
from pellucid.views.scene import Branch, Equation, Heading, Listing, Prose, Tree
from tests.views.html.parsed import parsed, words
from tests.views.html.test_element import HOSTILE


@pytest.mark.parametrize(("outline", "tag"), [(None, "p"), (1, "h2"), (2, "h3"), (6, "h6")])
def test_a_heading_has_its_place_in_the_outline_or_none(outline, tag):
    (shown,) = parsed(draw_heading(Heading("A <b>", 2), Sheet(outline=outline)))
    assert (shown.tag, words(shown)) == (tag, "A <b>")


def test_prose_is_paragraphs_with_their_marks():
    prose = Prose("One **bold** and `code`\nthere.\n\nTwo.")
    first, second = parsed(draw_prose(prose, Sheet()))
    assert [each.tag for each in first] == ["strong", "code"]
    assert (words(first), words(second)) == ("One bold and code there.", "Two.")


def test_a_quote_stays_on_the_line_of_its_token():
    said = 'Most is from "<START>", then ("<END>" or "<START> i am"), "(a" and "am", he "said".'
    (paragraph,) = parsed(draw_prose(Prose(said), Sheet()))
    kept = [each.text for each in paragraph if each.get("class") == "whole"]
    assert kept == ['"<START>",', '"<END>"', '"<START>', '"(a"']
    assert words(paragraph) == said
    assert ".whole{white-space: nowrap;}" in sheet_of("style.css")


def test_a_word_too_long_for_a_line_may_be_broken_though_it_is_quoted():
    said = 'After "<' + "a" * 100 + '>" it ends.'
    (paragraph,) = parsed(draw_prose(Prose(said), Sheet()))
    assert (len(paragraph), words(paragraph)) == (0, said)


def test_a_link_leads_to_a_tensor_that_the_page_shows_and_else_is_words():
    prose = Prose("See [the table](head.w) and [another](embed.out).")
    (paragraph,) = parsed(
        draw_prose(prose, Sheet(anchors=frozenset({"head.w"}))) + '<b id="tensor-head.w"></b>'
    )[:1]
    assert [(each.get("href"), words(each)) for each in paragraph] == [
        ("#tensor-head.w", "the table")
    ]
    assert words(paragraph) == "See the table and another."


@pytest.mark.parametrize("hostile", HOSTILE)
def test_words_are_text(hostile):
    for drawn in (
        draw_heading(Heading(hostile), Sheet()),
        draw_equation(Equation(hostile)),
        draw_listing(Listing(hostile), Sheet()),
    ):
        assert words(parsed(drawn)) == hostile


def test_an_equation_is_set_or_keeps_its_lines():
    assert [each.tag for each in parsed(draw_equation(Equation("a = b", "a = b")))[0]] == ["math"]
    (plain,) = parsed(draw_equation(Equation("a = b\n= 3")))
    assert (plain.tag, words(plain)) == ("pre", "a = b\n= 3")


def test_a_listing_keeps_its_columns():
    assert words(parsed(draw_listing(Listing("a  b\n\tc"), Sheet()))) == "a  b\n    c"


def test_labels_show_their_spaces_and_are_not_too_long():
    assert words(parsed(label(" a\n"))) == "␣a↵"
    assert shortened("abcdefghij", 7) == "abcd…ij"
    assert shortened("abcdefg", 7) == "abcdefg"
    assert len(words(parsed(label("x" * 5000)))) == 40


def test_a_word_that_no_line_holds_is_shortened_wherever_it_stands():
    long = "x" * 5000
    for drawn in (
        draw_heading(Heading(f"a {long} b"), Sheet()),
        draw_prose(Prose(f"a `{long}` b"), Sheet()),
        draw_tree(Tree(f"a {long} b", Branch(long, 1.0, long)), Sheet()),
    ):
        assert max(map(len, words(parsed(drawn)).split())) <= 80


def test_a_tree_has_every_number_with_its_name_and_formula():
    leaf = Branch("w[0]", -2.0, "a <parameter>")
    tree = Tree("T", Branch("out", 0.5, "w[0] · x", (leaf, leaf), more="… 3 more operands"))
    root = parsed(draw_tree(tree, Sheet()))
    assert [words(each) for each in root.iter("b")] == ["0.5", "−2", "−2"]
    assert [words(each) for each in root.iter("i")] == ["w[0] · x", *["a <parameter>"] * 2]
    assert words(root).endswith("… 3 more operands")
    assert [each.get("open") for each in root.iter("details")] == [""]
