"""Formulas as MathML: every one of the house is set, and no word in it becomes markup."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.ops.evidence import as_name, as_text
from pellucid.views.explanation import typeset
from pellucid.views.html.formula import formula
from tests.small_models import OPTIONS, small_config
from tests.traces import MODELS, trace_of
from tests.views.html.parsed import parsed, words
from tests.views.html.test_element import HOSTILE

ELEMENTS = {
    *("all", "math", "mrow", "mi", "mo", "mn", "mtext", "mspace", "mfrac", "msqrt"),
    *("msub", "msup", "msubsup", "munder", "mover", "mtable", "mtr", "mtd"),
}


def assert_set(latex):
    """It is a formula, in which nothing of the LaTeX is left over."""
    root = parsed(formula(latex))
    assert {each.tag for each in root.iter()} <= ELEMENTS, latex
    shown = words(root)
    assert not set(shown) & set("\\{}&"), latex
    assert not any("\ue000" <= character <= "\uf8ff" for character in shown), latex
    return root


@pytest.mark.parametrize("option", OPTIONS)
def test_the_equation_of_every_step_is_set_with_all_its_names(option):
    for node in build_graph(small_config(option), dropout=0.1).nodes:
        root = parsed(formula(node.latex))
        assert words(root).startswith(node.equation.split(" = ")[0])
        names = {words(each) for each in root.iter("mi")}
        for name in (*node.inputs, *node.parameters):
            assert name == "targets" or any(name.endswith(given) for given in names), node.latex


@pytest.mark.parametrize("name", MODELS)
def test_the_formula_of_every_kind_of_number_is_set(name):
    trace = trace_of(name)
    for each in (*trace.names, *trace.parameters, "ids", "positions", "targets"):
        middle = tuple(size // 2 for size in trace.explainer.tensor(each).shape)
        assert_set(typeset(trace.explainer.value(each, middle)))
    for each, gradient in trace.gradients.items():
        middle = tuple(size // 2 for size in gradient.shape)
        assert_set(typeset(trace.explainer.gradient(each, middle)))


@pytest.mark.parametrize(
    "hostile", [*HOSTILE, r"a\b^c~d_e{f}g%h#i", "\\", "{", "}", "😀 العربية é"]
)
def test_words_are_text_whatever_they_hold(hostile):
    for latex in (as_text(hostile), as_name(hostile)):
        (math,) = parsed(formula(rf"x_{{{latex}}} = {latex}"))
        shown = [words(each) for each in math.iter() if each.tag in ("mi", "mtext")]
        assert shown == ["x", hostile, hostile]


def test_space_at_the_ends_of_words_is_kept():
    (text,) = parsed(formula(r"a\text{ and }b")).iter("mtext")
    assert text.text == "\u00a0and\u00a0"


def test_a_sign_belongs_to_its_number_and_a_difference_does_not():
    root = parsed(formula(r"(-1) \cdot -2 - 3 - (a)_{4} - 5"))
    signs = [each.get("form") for each in root.iter("mo") if each.text == "−"]
    assert signs == ["prefix", "prefix", None, None, None]


def test_a_long_word_is_shortened_in_the_middle():
    (name,) = parsed(formula(as_name("q" * 5000))).iter("mi")
    assert len(words(name)) == 48
    assert "…" in words(name)


def test_lines_stand_below_each_other_at_their_signs():
    rows = list(parsed(formula(r"\begin{aligned} a &= b \\ &= 3 \end{aligned}")).iter("mtr"))
    assert [[words(cell) for cell in row] for row in rows] == [["a", "=b"], ["", "=3"]]
