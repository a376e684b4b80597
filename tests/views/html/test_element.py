"""Text put into HTML is text, whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.html.element import Html, element, joined, text
from tests.views.html.parsed import parsed, words

HOSTILE = (
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' x='",
    "&amp; &lt; &#60;",
    "<!-- -->",
    "]]>",
    "$x$ \\(y\\)",
)


@pytest.mark.parametrize("words_given", HOSTILE)
def test_markup_in_text_is_read_and_does_nothing(words_given):
    (shown,) = parsed(element("p", words_given, title=words_given))
    assert list(shown) == []
    assert words(shown) == shown.get("title") == words_given


@given(st.text())
def test_any_text_is_one_element_and_nothing_in_it_is_invisible(given_text):
    (shown,) = parsed(element("p", given_text, title=given_text))
    assert list(shown) == []
    unseen = {c for c in words(shown) if not c.isprintable()}
    assert unseen <= set("\n\t\u00a0\u200c\u200d")
    if given_text.isprintable():
        assert words(shown) == given_text


def test_lone_surrogates_and_direction_marks_are_spelt_out():
    assert text("a\ud800b\u202ec\x00") == "aU+D800bU+202EcU+0000"


def test_finished_markup_is_put_in_as_it_is():
    assert element("p", "<", Html("<b>x</b>")) == "<p>&lt;<b>x</b></p>"
    assert joined(["a & ", Html("<br>")]) == "a &amp; <br>"


def test_names_of_attributes_are_those_of_html():
    assert element("td", class_="n", data_step=3, id=None) == '<td class="n" data-step="3"></td>'
    assert element("br", class_="x") == '<br class="x">'
