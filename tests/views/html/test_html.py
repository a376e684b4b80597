"""Things as pieces of HTML: for a notebook, with a style of their own and nothing that runs."""

import re

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.train import train
from pellucid.views.html import to_html
from pellucid.views.html.draw import draw
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.style import notebook_style, page_style
from pellucid.views.scene import (
    Axis,
    Bars,
    Branch,
    Curve,
    Equation,
    Flow,
    GraphDiagram,
    Heading,
    Histogram,
    Layer,
    Level,
    Listing,
    Matrix,
    Network,
    Panels,
    Points,
    Prose,
    Row,
    Scene,
    Series,
    Table,
    Tree,
)
from tests.small_models import random_parameters, small_config
from tests.traces import model_of, trace_of
from tests.views.html.parsed import by_class, parsed, words
from tests.views.html.test_element import HOSTILE

TWO = np.array([[0.75, 0.0], [0.25, 1.0]])


def every_block(text):
    """One of each kind, with `text` wherever there are words."""
    axis = Axis("key", (text, f"{text} 2"))
    matrix = Matrix(text, TWO, axis, axis, note=text)
    layers = tuple(Layer(text, np.array([1.0, 0.0]), axis) for _ in range(2))
    return (
        Heading(text),
        Prose(text),
        Equation(text),
        matrix,
        Table(text, (text, "n"), ((text, 1.5),), note=text),
        Bars(text, ((text, 1.0), (text, -2.0)), note=text),
        Curve(text, (Series(text, TWO[0]),), text, text, (Level(text, 0.5),), note=text),
        Listing(text, title=text),
        Tree(text, Branch(text, 1.0, text), note=text),
        Flow(text, TWO, axis, axis, note=text),
        Network(text, layers, (TWO,), note=text),
        Histogram.of(text, {text: TWO}, x_label=text, note=text),
        Panels(text, (TWO[None],), Axis("block", (text,)), Axis("head", (text,)), axis, axis),
        Points(text, (text,), TWO[None], x_label=text, y_label=text, note=text),
        GraphDiagram(text, model_of("one head").graph, tokens=(text,)),
        Row((matrix, matrix)),
        Scene(text, (matrix,)),
    )


@pytest.mark.parametrize("place", range(len(every_block(""))))
def test_no_text_in_any_block_becomes_markup(place):
    harmless = {each.tag for each in parsed(draw(every_block("words")[place], Sheet())).iter()}
    for text in HOSTILE:
        root = parsed(draw(every_block(text)[place], Sheet()))
        assert {each.tag for each in root.iter()} <= harmless, text


def test_a_piece_brings_its_own_style_that_reaches_nothing_else():
    (piece,) = parsed(to_html(Prose("x")))
    assert {"pellucid", "tex2jax_ignore", "mathjax_ignore"} <= set(piece.get("class", "").split())
    rules = re.sub(r"@media[^{]*\{|@page\{[^}]*\}", "", notebook_style().removeprefix("<style>"))
    for selectors in re.findall(r"([^{}]+)\{", rules.removesuffix("</style>")):
        for selector in re.split(r",(?![^(]*\))", selectors):
            assert ".pellucid" in selector, selector


def test_no_rule_of_jupyterlab_outweighs_those_for_tables():
    assert ".pellucid.pellucid td" in notebook_style()
    assert not re.search(r"[,{}]\.pellucid (?!\{)\S", notebook_style())


def test_nothing_is_fetched():
    for style in (notebook_style(), page_style()):
        assert "url(" not in style
        assert "@import" not in style
        assert style.count("{") == style.count("}")


@pytest.mark.parametrize(
    "make",
    [
        lambda trace: trace,
        lambda trace: trace["blocks.0.attn.pattern"],
        lambda trace: trace.grad["head.w"],
        lambda trace: trace.explain("blocks.0.attn.scores", query=2, key=1),
        lambda trace: trace.explain_grad("logits", position=1, vocab=3),
        lambda trace: trace.paths("logits", position=-1, vocab=8),
        lambda trace: trace.check(),
        lambda trace: trace.config,
    ],
)
def test_what_is_shown_in_a_notebook_is_what_a_terminal_shows(make):
    thing = make(trace_of("baby-groot"))
    (piece,) = parsed(thing._repr_html_())
    said = words(piece)
    assert said.strip()
    assert "$" not in said


def test_a_step_and_a_run_show_themselves():
    run = train(["the sun is warm", "the moon is cold"], preset="baby-groot", seed=0)
    said = words(parsed(run._repr_html_()))
    assert f"{run.loss:.4f}" in said
    assert f"{run.floor:.4f}" in said
    step = next(iter(run.model.generate("the sun", max_new_tokens=1)))
    said = words(parsed(step._repr_html_()))
    assert step.token in said
    assert f"Read at position {step.position}" in said


@pytest.mark.parametrize("hostile", ["<script>1</script>", "$x$", "&amp;", "שלום", "a\u202eb"])
def test_tokens_are_text_in_all_that_a_trace_shows(hostile):
    tokenizer = Tokenizer.words([f"{hostile} b"])
    config = small_config("one head").replace(vocab_size=tokenizer.vocab_size)
    trace = Model(config, random_parameters(config), tokenizer).trace(f"{hostile} b", target="next")
    for thing in (
        trace,
        trace["blocks.0.attn.pattern"],
        trace.explain("blocks.0.attn.scores", query=2, key=1),
        trace.paths("logits", position=-1, vocab=trace.ids[1]),
    ):
        said = words(parsed(to_html(thing)))
        if hostile.isprintable():
            assert hostile in said


def test_a_graph_is_a_diagram_in_light_and_dark():
    graph = model_of("four heads").graph
    light, dark = parsed(graph._repr_html_()).iter("svg")
    for svg in (light, dark):
        shown = " ".join(words(each) for each in svg.iter("title"))
        assert all(name in shown for name in ("embed.out", "attn.pattern", "logits"))


def test_ipython_shows_everything_as_html_and_text():
    trace = trace_of("baby-groot")
    formatter = DisplayFormatter()
    for thing in (trace, trace["probs"], trace.config, trace.graph, trace.check()):
        shown, _ = formatter.format(thing)
        assert shown["text/html"] == thing._repr_html_()
        assert shown["text/plain"]


def test_heads_stand_side_by_side():
    root = parsed(to_html(trace_of("four heads")["blocks.0.attn.pattern"]))
    (row,) = by_class(root, "row")
    assert [words(next(each.iter("figcaption"))) for each in row] == [
        f"head {head}" for head in range(model_of("four heads").config.n_head)
    ]


def test_a_picture_has_a_light_and_a_dark_form_and_reaches_nothing_around_it():
    curve = Curve("Loss <1>", (Series("loss", np.array([3.0, 1.0])),), "epoch", "nats")
    root = parsed(to_html(curve))
    light, dark = root.iter("svg")
    assert light.get("aria-label") == dark.get("aria-label") == "Loss <1>"
    for svg in (light, dark):
        assert "Loss <1>" in {words(text).strip() for text in svg.iter("text")}
        assert not list(svg.iter("style"))
        assert not list(svg.iter("metadata"))
