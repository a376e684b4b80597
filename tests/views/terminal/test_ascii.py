"""Outputs that cannot write all of Unicode get something they can, in the same columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pellucid.views.terminal.ascii import spelt

ENCODINGS = st.sampled_from(["ascii", "cp1252", "iso8859-15", "utf-8", "no-such-encoding"])
WRITABLE = st.text(st.characters(exclude_categories=["Cs"]))


@given(WRITABLE, ENCODINGS)
def test_what_is_spelt_can_be_written(text, encoding):
    known = "ascii" if encoding == "no-such-encoding" else encoding
    assert spelt(text, encoding).encode(known) is not None


@given(WRITABLE)
def test_what_can_be_written_is_not_touched(text):
    assert spelt(text, "utf-8") == text


@pytest.mark.parametrize("mark", [*"─━│┤└┬⋮…·×␣█日"])
def test_marks_of_drawings_keep_their_columns(mark):
    assert cell_len(spelt(mark, "ascii")) == cell_len(mark)


def test_mathematics_is_spelt_out():
    assert spelt("q kᵀ / √8 → −∞ “x” — y", "ascii") == 'q k? / sqrt 8 -> -inf "x" - y'
    assert spelt("“x” — y", "cp1252") == "“x” — y"
