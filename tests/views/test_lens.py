"""A reading shown by itself says through which steps, and with which statistics."""

from html import escape

import pytest
from rich.cells import cell_len

import pellucid
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from pellucid.views.lens import choice, lens_blocks
from pellucid.views.scene import Curve, Heading, Matrix, Prose, Table
from pellucid.views.terminal import to_text
from tests.small_models import OPTIONS, SMALL, WORDS, random_parameters, small_model
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps

HOSTILE = "$x$ <script>alert(1)</script> \U0001f642 مرحبا é́ 日本語 [b]*c* " + "w" * 5000


def read(option="as it is"):
    return pellucid.lens(small_model(option, tokenizer=WORDS), "oak ash fir")


def test_the_norm_is_named_and_whose_statistics_it_takes():
    assert choice(read()) == (
        "Each state of the residual stream goes through the model's own last steps, "
        "`final_norm` → `logits`: with the norm's statistics worked out anew of that state. "
        "Behind the last state that is what the model says."
    )
    said = choice(read("post norm, no final norm"))
    assert "own last step, `logits`: as this model has no final norm" in said


def test_it_shows_every_position_and_then_one():
    kinds = [type(block) for block in lens_blocks(read())]
    assert kinds == [Heading, Prose, Matrix, Curve, Table]


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("option", OPTIONS)
def test_it_fits_a_terminal(option, width):
    text = to_text(read(option), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "KL" in text


def test_a_reading_shows_itself():
    reading = read()
    assert "Logit lens" in repr(reading)
    html = reading._repr_html_()
    assert "The likeliest next token" in html
    assert escape(reading.token(int(reading.likeliest[0, 0, 0]))) in html


def test_whatever_stands_in_the_vocabulary():
    tokenizer = Tokenizer.words([HOSTILE])
    config = SMALL.replace(vocab_size=tokenizer.vocab_size, block_size=16)
    model = Model(config, random_parameters(config), tokenizer)
    every = range(tokenizer.vocab_size)
    reading = pellucid.lens(model, ids=list(every), follow=every)
    for width in (80, 160):
        lines = to_text(reading, width=width).splitlines()
        assert max(map(cell_len, lines)) <= width
    html = reading._repr_html_()
    assert "<script" not in html
    for view in ("lens", "lens_at"):
        figure = getattr(pellucid.figures, view)(reading)
        assert_nothing_overlaps(figure)
        assert_nothing_cut(figure)


def test_a_long_text_is_reduced_and_says_so():
    config = SMALL.replace(block_size=300)
    reading = pellucid.lens(pellucid.Model.from_config(config), ids=[1] * 300)
    text = to_text(reading, width=80)
    assert "of 300 columns" in text
    assert max(map(len, text.splitlines())) <= 80
    figure = pellucid.figures.lens(reading)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)
