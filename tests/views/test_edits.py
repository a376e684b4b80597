"""Edits wherever an edited run is shown: in words, below what they changed."""

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import pellucid
from pellucid.showing import to_text
from pellucid.text.tokenizer import Tokenizer
from pellucid.views.edits import in_words, said_below
from tests.small_models import WORDS, small_model

EDITS = [pellucid.scale("blocks.0.attn.pattern", 2, head=0), pellucid.zero("blocks.0.mlp.b_in")]


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


def test_edits_are_said_in_their_order():
    assert (
        in_words(EDITS) == "Edited: scale blocks.0.attn.pattern[head=0] 2; zero blocks.0.mlp.b_in."
    )
    assert in_words(()) == ""


def test_a_trace_says_what_was_edited(model):
    assert in_words(EDITS) in " ".join(to_text(model.trace("ash bud", edits=EDITS)).split())
    assert "Edited" not in to_text(model.trace("ash bud"))


def test_numbers_that_are_not_finite_are_said_beside_the_edits(model):
    edits = [pellucid.zero("blocks.0.attn.pattern.sum")]
    trace = model.trace("ash bud", edits=edits)
    said = "blocks.0.attn.pattern is the first tensor with"
    assert said in " ".join(to_text(trace).split())
    assert [said in str(each) for each in said_below(trace)] == [False, True]


def test_a_tensor_says_it_in_its_equation(model):
    trace = model.trace("ash bud", edits=EDITS)
    said = "pattern = pattern.unedited, edited: scale 2 at [head=0]"
    assert said in to_text(trace["blocks.0.attn.pattern"])
    assert "Before the edit: pattern" in to_text(trace["blocks.0.attn.pattern.unedited"])


def test_a_figure_says_it_below_but_not_within_axes_of_ones_own(model):
    trace = model.trace("ash bud", edits=EDITS)
    assert len(said_below(trace, 3)) == 1
    assert said_below(model.trace("ash bud")) == ()
    assert "Edited: scale" in words_on(pellucid.figures.pattern(trace, block=0, head=0))
    figure = Figure()
    pellucid.figures.pattern(trace, block=0, head=0, ax=figure.subplots())
    assert "Edited" not in words_on(figure)


def words_on(figure):
    return " ".join(text.get_text() for text in figure.findobj(Text))


@pytest.mark.parametrize("word", ["<blink>", "$x_1$", "**bold**", "`c`", 'a"]|,b=c'])
def test_a_label_may_hold_anything(word):
    tokenizer = Tokenizer.words([f"{word} ash bud elm fir leaf moss oak"])
    model = small_model(tokenizer=tokenizer)
    edit = pellucid.zero("blocks.0.attn.pattern", query=word)
    trace = model.trace(f"ash {word}", edits=[edit])
    assert f"Edited: {edit}." in " ".join(to_text(trace).split())
    assert pellucid.read_edit(str(edit)) == edit
    for thing in (trace, trace["blocks.0.attn.pattern"], trace.explain("blocks.0.attn.z[0, 0, 0]")):
        assert "<blink>" not in thing._repr_html_()
