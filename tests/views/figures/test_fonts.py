"""Fonts: what has a shape, and what is written as its code point."""

import logging

import matplotlib.font_manager as manager
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.figures.fonts import OURS, drawable, families, quietly, slant
from pellucid.views.figures.text import width


def test_the_font_that_comes_with_matplotlib_is_asked_first():
    assert families()[0] == OURS
    installed = {font.name for font in manager.fontManager.ttflist}
    assert set(families()[:-1]) <= installed
    assert families()[-1] == "sans-serif"


def test_letters_signs_and_formulas_stand_as_they_are():
    for text in ("groot", "Σ √ ∂ ∞ − × ≤ → ⋮ …", "H₀ kᵀ", "é ß Ж λ", "␣ ↵ ⇥ ◌", "\u00a0\u2003"):
        assert drawable(text) == text


def test_what_no_font_has_is_written_as_its_code_point():
    # A private use character: no font gives it a meaning.
    assert drawable("a\U000f1234b") == "aU+F1234b"


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_every_text_can_be_measured_without_a_warning(text):
    assert width(drawable(text), 9.0) >= 0.0


def test_a_font_without_bold_letters_is_used_without_a_word(caplog):
    logger = logging.getLogger("matplotlib.font_manager")
    with quietly():
        logger.warning("Failed to find font weight bold")
    assert not caplog.records
    logger.warning("heard again")
    assert [record.message for record in caplog.records] == ["heard again"]


def test_formulas_are_set_in_italics_where_there_are_such_letters():
    assert slant("Σ q · k / √8") == "italic"
    # DejaVu Sans has an alef, its italics have none.
    assert slant("q · \u0627") == "normal"
