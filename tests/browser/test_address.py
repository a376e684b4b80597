"""The address keeps what is looked at, and what it says wrongly does no harm."""

import pytest

from tests.browser.shown import Shown

PATTERN = "blocks.0.attn.pattern"


def test_a_reload_returns_to_the_same_number(shown):
    shown.open(text="groot we am", show=PATTERN)
    shown.click(PATTERN, (0, 3, 1))
    before, address = shown.panel(), shown.tab.url
    shown.tab.reload()
    shown.explained(PATTERN, (0, 3, 1))
    assert shown.panel() == before
    assert shown.tab.url == address


def test_a_link_returns_to_it_in_another_tab(browser, shown):
    shown.open(show="logits")
    shown.click("logits", (3, 2))
    before = shown.panel()
    tab = browser.new_page()
    again = Shown(tab, shown.address)
    tab.goto(shown.tab.url)
    again.explained("logits", (3, 2))
    assert again.panel() == before
    tab.close()


def test_back_and_forward_lead_through_what_was_looked_at(shown):
    shown.open(show=PATTERN)
    shown.grids(PATTERN)
    for name in ("logits", "probs"):
        shown.tab.wait_for_timeout(500)
        shown.tab.locator("nav[aria-label=Show] button", has_text="Stack").click()
        words = {"logits": "logits", "probs": "probabilities"}[name]
        shown.tab.get_by_role("navigation", name="The stack").get_by_text(words).click()
        shown.grids(name)
    shown.tab.go_back()
    shown.grids("logits")
    shown.tab.go_back()
    shown.grids(PATTERN)
    shown.tab.go_forward()
    shown.grids("logits")


def test_the_head_is_kept(tab, pages):
    shown = Shown(tab, pages("like llama 3").address)
    shown.open(show="blocks.1.attn.pattern", head="2")
    tab.reload()
    assert {
        index[0] for index in shown.grids("blocks.1.attn.pattern")["blocks.1.attn.pattern"]
    } == {2}


def test_the_part_of_the_tour_is_kept(shown):
    shown.open(part="3")
    chapter = shown.tab.get_by_role("combobox", name="Chapter")
    assert chapter.input_value() == "3"
    shown.tab.reload()
    assert chapter.input_value() == "3"


@pytest.mark.parametrize(
    "wrong",
    [
        {"show": "nothing.of.the.kind"},
        {"show": "loss.per_position"},
        {"cell": "logits@9,9,9"},
        {"cell": "nothing@0"},
        {"cell": "logits@0,1000000"},
        {"head": "-1"},
        {"head": "1000000"},
        {"part": "99"},
        {"do": "nothing"},
        {"text": "i am gruut"},
        {"show": "__proto__", "cell": "constructor@0"},
    ],
    ids=str,
)
def test_an_address_that_is_wrong_still_opens_the_page(shown, wrong):
    """Nothing fails, and what can be shown is: the tab says so if anything goes wrong in it."""
    shown.open(**{"show": PATTERN, **wrong})
    assert shown.grids(PATTERN)[PATTERN]
