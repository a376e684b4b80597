"""Labels take the columns they seem to take, whatever characters they hold."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pellucid.views.labels import label
from pellucid.views.terminal.labels import fit

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, st.integers(1, 30), st.sampled_from(["left", "right"]))
def test_a_fitted_label_has_exactly_its_width(text, width, align):
    assert cell_len(fit(label(text), width, align)) == width


def test_a_cut_label_says_that_it_is_cut():
    assert fit("transformer", 6) == "trans…"
    assert fit("日本語", 4) == "日… "
    assert fit("abc", 5, "right") == "  abc"
    assert fit("abc", 0) == ""
