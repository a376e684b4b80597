"""An explanation: its value worked out again, its terms, its formula, and itself as data."""

import json
import re
from math import isclose, isnan

import numpy as np
import pytest

from pellucid.trace.explanation import difference, spell
from tests.small_models import WORDS, small_model
from tests.traces import trace_of

KINDS = ("baby-groot", "four heads", "gelu_tanh", "sinusoidal positions", "grouped heads")
"""Models that between them have every operation of a run."""


def every_explanation(trace):
    """One of each tensor and each gradient, at its last cell; in the future too."""
    for name in (*trace.names, *trace.parameters, "ids", "positions", "targets"):
        shape = trace.explainer.tensor(name).shape
        yield trace.explainer.value(name, tuple(size - 1 for size in shape))
    for name in trace.grad:
        yield trace.explainer.gradient(name, tuple(n - 1 for n in trace.gradients[name].shape))
    masked = "blocks.0.attn.masked_scores"
    yield trace.explainer.value(masked, (0, 0, 1))
    yield trace.explainer.gradient(masked, (0, 0, 1))


everything = pytest.mark.parametrize("name", KINDS)


def test_it_says_what_it_is_of():
    trace = small_model("one head", tokenizer=WORDS).trace("moss oak ash", target="next")
    explanation = trace.explain("blocks.0.attn.scores", query="oak", key="moss")
    assert explanation.kind == "value"
    assert explanation.name == "blocks.0.attn.scores"
    assert explanation.cell == {"head": 0, "query": 2, "key": 1}
    assert explanation.where == "oak, moss"
    assert explanation.title == trace["blocks.0.attn.scores"].title
    assert explanation.value == trace["blocks.0.attn.scores"].values[0, 2, 1]
    assert explanation.formula == "q[oak] · keys[moss] / √8"
    assert explanation.substituted.endswith(" + … 5 more) / √8")
    gradient = trace.explain_grad("blocks.0.attn.q", position="oak", d_head=3)
    assert gradient.kind == "gradient"
    assert gradient.title == "Gradient of the loss by blocks.0.attn.q"
    assert gradient.formula == "Σ ∂loss/∂scores[oak] · (keys[d_head=3] / √8)"


def test_each_term_has_its_role_name_cell_and_value():
    trace = trace_of("as it is")
    explanation = trace.explain("blocks.0.attn.out", position=1, d_model=2)
    x, w = trace["blocks.0.attn.z_flat"].values, trace["blocks.0.attn.w_o"].values
    bias = trace["blocks.0.attn.b_o"].values
    terms = explanation.terms
    assert len(terms) == 2 * x.shape[1] + 1
    assert [t.role for t in terms] == ["x"] * x.shape[1] + ["w"] * x.shape[1] + ["b"]
    assert [t.value for t in terms] == [*x[1], *w[:, 2], bias[2]]
    assert terms[3].cell == {"position": 1, "d_attn": 3}
    assert terms[-1].cell == {"d_model": 2}
    assert terms[-1].where == "d_model=2"
    assert [t.role for t in terms[-2:]] == ["w", "b"]
    with pytest.raises(IndexError):
        terms[len(terms)]


def test_the_largest_contributions_come_first_and_say_their_share():
    trace = trace_of("as it is")
    explanation = trace.explain("blocks.0.attn.out", position=1, d_model=2)
    found = explanation.contributions
    sizes = [abs(each.value) for each in found]
    assert sizes == sorted(sizes, reverse=True)
    for each in found:
        product = np.prod([term.value for term in each.terms]) * each.scale
        assert each.value == pytest.approx(product, rel=1e-15)
        assert each.share == pytest.approx(abs(each.value) / sum(sizes))
    assert sum(each.share for each in found) == pytest.approx(1)
    assert found.total == pytest.approx(explanation.recomputed, rel=1e-14)


def test_the_rest_is_one():
    found = trace_of("as it is").explain("blocks.0.attn.out", position=1, d_model=2).contributions
    for shown in (0, 3, len(found)):
        first, rest = found[:shown], found.rest(shown)
        assert isclose(sum(each.value for each in first) + rest.value, found.total, abs_tol=1e-15)
        assert isclose(sum(each.share for each in first) + rest.share, 1, rel_tol=1e-12)


def test_a_scale_is_part_of_the_product():
    explanation = trace_of("as it is").explain("blocks.0.attn.scores", head=1, query=2, key=1)
    assert {each.scale for each in explanation.contributions} == {1 / np.sqrt(2)}
    loss = trace_of("as it is").explain("loss.per_position", position=0)
    assert [each.scale for each in loss.contributions] in ([1, -1], [-1, 1])


def test_what_is_no_sum_may_still_weigh_its_operands():
    trace = trace_of("as it is")
    total = trace.explain("probs.sum", position=1)
    assert total.contributions.total == pytest.approx(total.recomputed)
    whole = trace.explain("loss.per_position.log_sum", position=1)
    shares = sorted((each.value for each in whole.contributions), reverse=True)
    assert shares == pytest.approx(sorted(trace["probs"].values[1], reverse=True))
    assert len(trace.explain("blocks.0.mlp.post", position=0, d_mlp=0).contributions) == 1
    assert len(trace.explain("probs", position=0, vocab=0).contributions) == 0


@everything
def test_terms_and_contributions_are_made_when_they_are_looked_at(name):
    explanation = trace_of(name).explain("logits", position=-1, vocab=0)
    assert explanation.terms[0] == next(iter(explanation.terms))
    assert not isinstance(explanation.terms, list)
    assert not isinstance(explanation.contributions, list)


# One level down


@everything
def test_operands_are_the_explanations_of_the_terms_each_once(name):
    for explanation in every_explanation(trace_of(name)):
        below = list(explanation.operands())
        assert len({each.key for each in below}) == len(below)
        gradients = {t.role == "arriving gradient" for t in explanation.terms if t.name}
        keys = {
            (
                "gradient" if t.role == "arriving gradient" else "value",
                t.name,
                tuple(t.cell.values()),
            )
            for t in explanation.terms
            if t.name
        }
        assert keys <= {each.key for each in below}
        assert explanation.is_leaf == (not below)
        if explanation.kind == "value":
            assert True not in gradients


@everything
def test_the_largest_operands_are_a_part_of_all(name):
    for explanation in every_explanation(trace_of(name)):
        every = {each.key for each in explanation.operands()}
        few = [each.key for each in explanation.operands(largest=2)]
        assert len(set(few)) == len(few)
        assert set(few) <= every
        assert bool(few) == bool(every)


def test_a_computed_slope_leads_on_to_what_it_is_made_of():
    trace = trace_of("four heads")
    gelu = trace.explain_grad("blocks.0.mlp.pre", position=1, d_mlp=5)
    assert {(e.kind, e.name) for e in gelu.operands()} == {
        ("gradient", "blocks.0.mlp.post"),
        ("value", "blocks.0.mlp.pre"),
        ("value", "blocks.0.mlp.post.cdf"),
    }
    norm = trace.explain_grad("blocks.1.resid_mid", position=1, d_model=5)
    names = {e.name.removeprefix("blocks.1.") for e in norm.operands() if e.kind == "value"}
    assert names == {"norm2.normalized", "norm2.rstd", "norm2.gamma"}


# As formula


@everything
def test_latex_is_balanced_and_has_no_bare_special_characters(name):
    for explanation in every_explanation(trace_of(name)):
        for latex in (
            explanation.latex,
            explanation.latex_substituted,
            explanation._repr_latex_().removeprefix("$").removesuffix("$"),
        ):
            assert_valid(latex)


def test_latex_takes_odd_words_as_they_stand():
    odd = [r"a_b \frac{", "50% $x$", "#1 & ~^", "}{"]
    tokenizer = type(WORDS).words([" ".join(odd)])
    text = " ".join(tokenizer.tokens[3:9])
    model = small_model("one head", tokenizer=tokenizer)
    trace = model.trace(" ".join(text.split()[:5]), target="next")
    for explanation in every_explanation(trace):
        assert_valid(explanation.latex)
        assert_valid(explanation._repr_latex_().removeprefix("$").removesuffix("$"))


TEXT = re.compile(r"\\text\{(?:\\.|[^\\{}_^#&%$~]|\{\})*\}")
"""Words in a formula: whatever characters they have, none that LaTeX would read."""


def assert_valid(latex):
    """Braces are closed, `_` and `^` take what follows them, and nothing else is special."""
    bare = TEXT.sub("{}", latex)
    assert bare.isascii(), latex
    assert r"\text{" not in bare, latex
    assert bare.count(r"\left(") == bare.count(r"\right)"), latex
    without_commands = re.sub(r"\\.", "", bare)
    assert not set(without_commands) & set("#&%$~"), latex
    assert not re.search(r"_(?!\{)|\^(?![{\d])", without_commands), latex
    depth = 0
    for character in without_commands:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0, latex
    assert depth == 0, latex


def test_a_notebook_shows_the_formula_with_symbols_and_numbers():
    trace = small_model("one head", tokenizer=WORDS).trace("moss oak", target="next")
    explanation = trace.explain("blocks.0.attn.pattern", query="oak", key="moss")
    shown = explanation._repr_latex_()
    assert shown.startswith(
        r"$\displaystyle \mathrm{blocks.0.attn.pattern}_{\text{oak},\,\text{moss}} = \frac{\exp("
    )
    assert explanation.latex in shown
    assert explanation.latex_substituted in shown
    gradient = trace.explain_grad("blocks.0.attn.pattern", query="oak", key="moss")
    assert gradient._repr_latex_().startswith(
        r"$\displaystyle \frac{\partial L}{\partial\,\mathrm{blocks.0.attn.pattern}_{"
    )


# As data


@everything
@pytest.mark.parametrize("limit", [None, 3])
def test_every_explanation_is_json(name, limit):
    for explanation in every_explanation(trace_of(name)):
        data = explanation.to_dict(limit)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        for field in ("kind", "name", "where", "formula", "latex", "substituted", "title"):
            assert data[field] == getattr(explanation, field)


def test_json_has_every_term_unless_there_is_a_limit():
    explanation = trace_of("as it is").explain("blocks.0.attn.out", position=1, d_model=2)
    whole, part = explanation.to_dict(), explanation.to_dict(2)
    assert len(whole["terms"]) == len(explanation.terms) == 17
    assert (whole["more_terms"], whole["more_contributions"]) == (0, 0)
    assert whole["rest"] == {"value": 0, "share": 0}
    assert part["contributions"] == whole["contributions"][:2]
    assert part["more_contributions"] == len(explanation.contributions) - 2
    assert part["rest"]["value"] == explanation.contributions.rest(2).value
    of_the_shown = [term for each in part["contributions"] for term in each["terms"]]
    assert all(term in part["terms"] for term in of_the_shown)
    assert "b" in {term["role"] for term in part["terms"]}
    assert len(part["terms"]) + part["more_terms"] == 17


def test_json_spells_what_it_has_no_number_for():
    trace = trace_of("baby-groot")
    masked = trace.explain("blocks.0.attn.masked_scores", query=0, key=1).to_dict()
    assert (masked["value"], masked["recomputed"], masked["error"]) == ("-Infinity",) * 2 + (0,)
    assert masked["latex"] == r"-\infty"
    share = trace.explain("blocks.0.attn.pattern", query=0, key=1).to_dict()
    assert share["terms"][0]["value"] == "-Infinity"
    assert [spell(x) for x in (np.nan, np.inf, -np.inf, 0.5)] == [
        "NaN",
        "Infinity",
        "-Infinity",
        0.5,
    ]


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        (1.0, 1.5, 0.5),
        (np.inf, np.inf, 0),
        (-np.inf, -np.inf, 0),
        (np.nan, np.nan, 0),
        (np.inf, -np.inf, np.inf),
        (np.inf, 1.0, np.inf),
    ],
)
def test_equal_infinities_are_not_apart(a, b, apart):
    assert difference(a, b) == difference(b, a) == apart


def test_a_number_and_none_are_apart():
    assert isnan(difference(np.nan, 1.0))


# On a terminal


def test_it_prints_as_a_tree():
    trace = small_model("one head", tokenizer=WORDS).trace("moss oak", target="next")
    shown = repr(trace.explain("blocks.0.attn.scores", query="oak", key="moss"))
    assert "blocks.0.attn.scores[oak, moss] = " in shown
    assert "├─ attn.q[oak, d_head=" in shown
    assert "\x1b" not in shown
