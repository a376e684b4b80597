"""Scenes as HTML: for notebooks and pages, without scripts and without a network."""

from __future__ import annotations

from pellucid.views.html.draw import draw_all
from pellucid.views.html.element import Html, element
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.style import notebook_style
from pellucid.views.summary import blocks_of

__all__ = ["to_html"]

_NO_MATHEMATICS = "tex2jax_ignore mathjax_ignore"
"""Keeps MathJax, which notebooks run over outputs, from taking two dollar signs for a formula."""


def to_html(thing: object) -> Html:
    """Return a block, a scene, a trace, a graph, or a sequence of them as a piece of HTML.

    It brings its own style, which reaches nothing around it, and follows the light or dark paper of
    the program that shows it. Without the style it is plain HTML that can be read.
    """
    drawn = draw_all(blocks_of(thing), Sheet())
    return element("div", notebook_style(), drawn, class_=f"pellucid {_NO_MATHEMATICS}")
