"""What the page shows is what Python computed: of every tensor, in every kind of view."""

from math import isnan

import numpy as np
import pytest

from tests.browser.conftest import KIN, PROMPT
from tests.browser.shown import Shown

MODELS = ("baby-groot", *KIN, "not a number")
SHOWN_AT_FIRST = 12
"""Contributions that the panel lists before it is asked for all."""


def close(value):
    """To float32's rounding, over a few hundred sums."""
    return pytest.approx(value, abs=1e-5, rel=1e-5, nan_ok=True)


def steps(trace):
    """The steps that have run: there is no loss where nothing was to come next."""
    return [node for node in trace.graph.nodes if node.name in trace.names]


def assert_stage_is_right(shown, trace, name):
    """Every visible cell of every matrix on the stage; returns the names of the matrices."""
    grids = shown.grids(name)
    for tensor, cells in grids.items():
        values = trace.explainer.tensor(tensor).values
        assert cells, tensor
        expected = {index: close(float(values[index])) for index in cells}
        assert cells == expected, tensor
    return set(grids)


def walk(shown, trace):
    """Look at every step that was not seen beside another; returns the names of all matrices."""
    seen: set[str] = set()
    for node in steps(trace):
        if not {node.name, *(extra.name for extra in node.extras)} <= seen:
            shown.turn(show=node.name)
            seen |= assert_stage_is_right(shown, trace, node.name)
    return seen


@pytest.mark.parametrize("name", MODELS)
def test_every_tensor_and_parameter_is_shown_with_its_numbers(tab, pages, name):
    page = pages(name)
    shown = Shown(tab, page.address)
    shown.open()
    seen = walk(shown, page.trace)
    assert seen >= {*page.trace.names, *page.trace.parameters}


def test_so_is_all_that_a_server_computes(online_tab, served):
    shown = Shown(online_tab, served.address)
    shown.open()
    seen = walk(shown, served.trace)
    assert seen >= {*served.trace.names, *served.trace.parameters}


@pytest.mark.parametrize("name", MODELS)
def test_a_click_on_a_number_of_every_kind_shows_its_real_operands(tab, pages, name):
    page = pages(name)
    shown = Shown(tab, page.address)
    shown.open()
    assert_explained(shown, page.trace, np.random.default_rng(3))


def test_so_do_those_that_a_server_explains(online_tab, served):
    shown = Shown(online_tab, served.address)
    shown.open()
    assert_explained(shown, served.trace, np.random.default_rng(4))


def assert_explained(shown, trace, rng):
    """A random visible cell of one step of each kind, its value and the operands of each line."""
    for node in {node.op.kind: node for node in steps(trace)}.values():
        shown.turn(show=node.name)
        visible = list(shown.grids(node.name)[node.name])
        index = visible[rng.integers(len(visible))]
        shown.click(node.name, index)
        expected = trace.explainer.follow("value", node.name, index)
        panel = shown.panel()
        assert panel.said == title(node.name, expected.where)
        assert node.name in panel.text
        assert panel.value == close(expected.value)
        lines = [
            [close(term.value) for term in each.terms]
            for each in expected.contributions[:SHOWN_AT_FIRST]
        ]
        if not any(isnan(each.value) for each in expected.contributions):
            assert panel.rows == lines


def title(name, where):
    """What a number is called at the right, above its full name."""
    ending = name.rpartition(".")[2]
    return f"{ending}[{where}]" if where else ending


@pytest.mark.parametrize("head", [0, 1, 2, 3])
def test_another_head_shows_that_heads_numbers(tab, pages, head):
    page = pages("like llama 3")
    shown = Shown(tab, page.address)
    for name in ("blocks.1.attn.pattern", "blocks.1.attn.k", "blocks.1.attn.z"):
        shown.open(show=name, head=str(head))
        cells = shown.grids(name)[name]
        dim = page.trace[name].dims.index("kv_head" if name.endswith("k") else "head")
        assert {index[dim] for index in cells} == {head // 2 if name.endswith("k") else head}
        assert_stage_is_right(shown, page.trace, name)


def test_what_is_masked_is_minus_infinity_and_reads_so(shown, groot_page):
    name = "blocks.0.attn.masked_scores"
    shown.open(show=name)
    cells = shown.grids(name)[name]
    assert {index for index, value in cells.items() if value == float("-inf")} == {
        (0, query, key) for query in range(4) for key in range(4) if key > query
    }
    assert shown.cell(name, (0, 0, 1)).inner_text().strip() == "−∞"


def test_what_is_not_a_number_says_so(tab, pages):
    page = pages("not a number")
    shown = Shown(tab, page.address)
    shown.open(show="logits")
    assert all(map(isnan, shown.grids("logits")["logits"].values()))
    assert shown.cell("logits", (0, 0)).inner_text().strip() == "NaN"


def test_another_text_changes_every_number(shown, groot_page):
    text = "groot we am"
    trace = groot_page.model.trace(text)
    shown.open(text=text)
    walk(shown, trace)


def test_the_top_of_the_page_has_the_tokens_their_ids_and_the_likeliest_next(shown, groot_page):
    shown.open(text=PROMPT)
    trace = groot_page.trace
    tokens = shown.tab.get_by_role("list", name="tokens").get_by_role("listitem")
    assert ["".join(each.split()) for each in tokens.all_inner_texts()] == [
        f"{token}{id}" for token, id in zip(trace.tokens, trace.ids, strict=True)
    ]
    best = shown.tab.get_by_role("list", name="What comes next").locator("[data-value]")
    best.first.wait_for()
    listed = [float(each.get_attribute("data-value")) for each in best.all()]
    expected = sorted(map(float, trace["probs"].values[-1]), reverse=True)[: len(listed)]
    assert len(listed) >= 3
    assert listed == close(expected)
