"""A reading shown by itself says through which steps, and with which statistics."""

from html import escape

import pytest

import pellucid
from pellucid.views.lens import choice, lens_blocks
from pellucid.views.scene import Curve, Heading, Matrix, Prose, Table
from pellucid.views.terminal import to_text
from tests.small_models import OPTIONS, WORDS, small_model


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
