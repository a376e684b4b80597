"""What the page shows is what Python computed."""

import numpy as np
import pytest

from tests.browser.conftest import PROMPT


def open_at(tab, page, view):
    tab.goto(f"{page.as_uri()}#{view}")
    tab.wait_for_selector("td[role=gridcell] button")


def cells(tab, name):
    """Every number of a matrix on the page: its index and its exact value."""
    tab.wait_for_selector(f'table[aria-label="{name}"] td[role=gridcell] button')
    found = tab.eval_on_selector_all(
        f'table[aria-label="{name}"] td[role=gridcell] button',
        "all => all.map(b => [b.dataset.index, b.dataset.value])",
    )
    return {tuple(map(int, filter(None, index.split(",")))): value for index, value in found}


def as_number(text):
    return float(text.replace("Infinity", "inf"))


@pytest.mark.parametrize("text", [PROMPT, "groot we am"])
def test_every_matrix_has_the_numbers_of_its_tensor(tab, groot, groot_page, text):
    trace = groot.trace(text)
    for name in ("embed.out", "attn.scores", "attn.pattern", "norm1", "mlp.post", "logits"):
        own = trace.graph.resolve(name)
        open_at(tab, groot_page, f"text={text}&show={own}")
        shown = cells(tab, own)
        assert shown
        for index, value in shown.items():
            expected = float(trace[own].values[index])
            assert as_number(value) == pytest.approx(expected, abs=1e-5, nan_ok=True)


def test_a_click_explains_a_number_with_its_real_operands(tab, groot, groot_page):
    name = "blocks.0.attn.scores"
    open_at(tab, groot_page, f"text={PROMPT}&show={name}")
    tab.click(f'table[aria-label="{name}"] button[data-index="0,2,1"]')
    tab.wait_for_selector("aside .value")
    explained = groot.trace(PROMPT).explain(name, query="am", key="i")
    assert as_number(tab.get_attribute("aside .value", "data-value")) == pytest.approx(
        explained.value, abs=1e-5
    )
    rows = tab.eval_on_selector_all(
        "aside tbody tr",
        "rows => rows.map(r => [...r.querySelectorAll('button')].map(b => b.dataset.value))",
    )
    shown = [[float(value) for value in row] for row in rows]
    expected = [[term.value for term in each.terms] for each in explained.contributions]
    np.testing.assert_allclose(shown, expected, atol=1e-5)


def test_an_operand_leads_on_and_the_trail_leads_back(tab, groot_page):
    name = "blocks.0.attn.scores"
    open_at(tab, groot_page, f"text={PROMPT}&show={name}&cell={name}@0,2,1")
    tab.wait_for_selector("aside .operands button")
    tab.click("aside .operands button >> nth=0")
    tab.wait_for_selector("aside .trail button")
    assert "blocks.0.attn.q" in tab.inner_text("aside h2")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("aside .trail", state="detached")
    assert name in tab.inner_text("aside h2")


def test_the_address_returns_to_the_same_number(tab, groot_page):
    name = "blocks.0.attn.pattern"
    open_at(tab, groot_page, f"text={PROMPT}&show={name}")
    tab.click(f'table[aria-label="{name}"] button[data-index="0,3,1"]')
    tab.wait_for_selector("aside .value")
    before = tab.get_attribute("aside .value", "data-value")
    tab.reload()
    tab.wait_for_selector("aside .value")
    assert tab.get_attribute("aside .value", "data-value") == before


def test_typing_another_text_changes_every_number(tab, groot, groot_page):
    open_at(tab, groot_page, "show=probs")
    tab.fill("header input", "groot we am")
    tab.wait_for_function("document.querySelectorAll('.tokens li').length === 4")
    tab.wait_for_function("document.querySelector('.tokens').innerText.includes('we')")
    probabilities = groot.trace("groot we am")["probs"].values[-1]
    tab.wait_for_timeout(300)
    shown = tab.eval_on_selector_all(
        ".next [data-value]", "all => all.map(e => Number(e.dataset.value))"
    )
    assert shown == pytest.approx(sorted(probabilities)[::-1][: len(shown)], abs=1e-5)


def test_an_unknown_word_is_named(tab, groot_page):
    open_at(tab, groot_page, "show=probs")
    tab.fill("header input", "i am gruut")
    tab.wait_for_function("document.querySelector('#message').innerText.includes('gruut')")
