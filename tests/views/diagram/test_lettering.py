"""How wide text is: never less than a font makes it."""

from pathlib import Path

import matplotlib
import pytest
from matplotlib.ft2font import FT2Font, LoadFlags

from pellucid.views.diagram.lettering import NO_BREAK, STYLES, shorten, wrap

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
LETTERS = "".join(map(chr, range(32, 127)))
SIGNS = "×·…√∞≤−ᵀΣ←αé␣↵"


def measured(text, style):
    """The width of a text in DejaVu, by the font's own advance widths."""
    file = f"DejaVuSans{'Mono' if style.mono else ''}{'-Bold' if style.bold else ''}.ttf"
    font = FT2Font(str(FONTS / file))
    font.set_size(1000, 72)
    advances = (font.load_char(ord(c), LoadFlags.NO_HINTING).linearHoriAdvance for c in text)
    return sum(advances) / 65536 * style.size / 1000


@pytest.mark.parametrize("name", STYLES)
def test_a_letter_is_as_wide_as_in_the_font(name):
    style = STYLES[name]
    for letter in LETTERS:
        assert style.width(letter) == pytest.approx(measured(letter, style), abs=0.001 * style.size)


@pytest.mark.parametrize("name", STYLES)
def test_a_sign_is_no_wider_than_is_said(name):
    style = STYLES[name]
    for sign in SIGNS:
        assert style.width(sign) >= measured(sign, style)


def test_marks_over_a_letter_take_no_room():
    assert STYLES["token"].width("e\u0301") == STYLES["token"].width("e")


def test_characters_of_full_width_take_more():
    assert STYLES["token"].width("語") > STYLES["token"].width("W")


def test_lines_are_within_the_width_and_even():
    text = "one row of the table for each token id"
    width = STYLES["note"].width("one row of the table for each token")
    lines = wrap(text, "note", width)
    assert lines == ("one row of the table", "for each token id")
    assert " ".join(lines) == text
    assert all(STYLES["note"].width(line) <= width for line in lines)


def test_a_text_that_fits_is_one_line():
    assert wrap("a few words", "note", STYLES["note"].width("a few words")) == ("a few words",)


def test_a_word_that_is_too_long_stands_alone():
    assert wrap(f"a {'x' * 90} b", "note", 50) == ("a", "x" * 90, "b")


def test_a_word_and_its_number_stay_together():
    text = f"head{NO_BREAK}12 × d_head{NO_BREAK}64"
    for width in range(10, 200):
        lines = wrap(text, "shape", width)
        assert " ".join(lines) == "head 12 × d_head 64"
        assert not any(line.endswith(("head", "d_head")) for line in lines)


@pytest.mark.parametrize("most", [3, 4, 9, 10])
def test_what_is_shortened_keeps_its_ends(most):
    short = shorten("abcdefghijkl", most)
    assert len(short) == most
    assert short.startswith("a")
    assert short.endswith("l")
    assert "…" in short
    assert shorten("abc", most) == "abc"
