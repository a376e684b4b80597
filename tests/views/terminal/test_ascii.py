"""Outputs that cannot write all of Unicode get something they can, and all of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pellucid.tour.tour import chapter, prepare
from pellucid.trace.explanation import Explanation
from pellucid.views.scene import Table
from pellucid.views.summary import blocks_of
from pellucid.views.terminal.ascii import drawn, spelt, spelt_within
from pellucid.views.terminal.draw import draw_all
from pellucid.views.terminal.page import Page
from tests.small_models import small_model

ENCODINGS = st.sampled_from(["ascii", "cp1252", "iso8859-15", "utf-8", "no-such-encoding"])
WRITABLE = st.text(st.characters(exclude_categories=["Cs"]))


@given(WRITABLE, ENCODINGS)
def test_what_is_spelt_or_drawn_can_be_written(text, encoding):
    known = "ascii" if encoding == "no-such-encoding" else encoding
    assert spelt(text, encoding).encode(known) is not None
    assert drawn(text, encoding).encode(known) is not None


@given(WRITABLE)
def test_what_can_be_written_is_not_touched(text):
    assert spelt(text, "utf-8") == drawn(text, "utf-8") == text


@pytest.mark.parametrize("mark", [*"─━│┤├└┬⋮…·×␣█日"])
def test_marks_of_drawings_keep_their_columns(mark):
    assert cell_len(drawn(mark, "ascii")) == cell_len(mark)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("q kᵀ / √8 → −∞ “x” — y", 'q k^T / sqrt 8 -> -inf "x" - y'),
        ("x₀² + x₁³", "x0^2 + x1^3"),
        ("2 × 10⁻¹²", "2 x 10^-12"),
        ("∂L/∂x", "dL/dx"),
        ("x·Φ(x), γ and β", "x.Phi(x), gamma and beta"),
        ("Σᵢ xᵢ, …", "sum i xi, ..."),
        ("|a − b| ≤ 0.1 ± ε", "|a - b| <= 0.1 +/- epsilon"),
    ],
)
def test_mathematics_is_spelt_out(text, plain):
    assert spelt(text, "ascii") == plain


def test_an_output_keeps_what_it_can_write():
    assert spelt("“x²” — 3 × 10⁻² …", "cp1252") == "“x²” — 3 × 10^-2 …"


def test_every_text_of_a_block_is_spelt_out():
    table = Table("a₀", ("√2",), (("kᵀ",), (1.5,)), note="∂")
    assert spelt_within(table, "ascii") == Table("a0", ("sqrt 2",), (("k^T",), (1.5,)), note="d")
    assert spelt_within(table, "utf-8") is table


def lines(thing, width, encoding):
    blocks = draw_all(blocks_of(thing), Page(width=width, encoding=encoding))
    return [drawn(line.plain.rstrip(), encoding) for line in blocks]


def said(shown, encoding):
    """Every letter and digit, in order, as the encoding spells them."""
    return [c for c in spelt("\n".join(shown), encoding) if c.isalnum()]


def traced():
    return small_model("gelu").trace(ids=[1, 4, 2], target="next")


@pytest.fixture(scope="module")
def tour():
    lesson = prepare(None, None, seed=0, model=None, on_epoch=None)
    return [chapter(lesson, number) for number in range(1, 8)]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("width", [60, 80, 160])
def test_no_letter_or_digit_of_a_tour_or_a_trace_is_lost(tour, encoding, width):
    for thing in (tour, traced()):
        plain = lines(thing, width, encoding)
        assert max(map(len, plain)) <= width
        assert said(plain, encoding) == said(lines(thing, width, "utf-8"), encoding)


def explanation() -> Explanation:
    return traced().explain("blocks.0.mlp.post", position=2, d_mlp=1)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_formula_of_an_explanation_is_whole_or_says_that_it_is_cut(encoding, width):
    plain, full = (lines(explanation(), width, name) for name in (encoding, "utf-8"))
    cut = "~" if encoding == "ascii" else "…"
    assert max(map(len, plain)) <= width
    assert len(plain) == len(full)
    for here, there in zip(plain, full, strict=True):
        letters, others = said([here], encoding), said([there], encoding)
        assert letters == others or (here.endswith(cut) and letters == others[: len(letters)])
    if width == 160:
        assert said(plain, encoding) == said(full, encoding)
