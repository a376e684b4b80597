"""A figure shows itself in a notebook, as the same vector graphics every time."""

from xml.etree import ElementTree

from IPython.core.formatters import DisplayFormatter

import pellucid

TRACE = pellucid.load("baby-groot").trace("i am groot")


def shown(figure):
    """What a notebook is given of a figure, by kind."""
    return DisplayFormatter().format(figure)[0]


def test_a_notebook_is_given_a_drawing_whose_text_is_text():
    svg = shown(pellucid.figures.pattern(TRACE))["image/svg+xml"]
    texts = {"".join(element.itertext()) for element in ElementTree.fromstring(svg).iter()}
    share = TRACE["blocks.0.attn.pattern"].values[0, 2, 1]
    assert {*TRACE.tokens, f"{share:.3f}"} <= {text.strip() for text in texts}


def test_the_same_picture_is_the_same_file():
    first, second = (shown(pellucid.figures.scores(TRACE)) for _ in range(2))
    assert first["image/svg+xml"] == second["image/svg+xml"]
