"""The address keeps what is looked at, and what it says wrongly does no harm."""

import pytest

import pellucid
from tests.browser.shown import Shown

PATTERN = "blocks.0.attn.pattern"
EDITS = [
    pellucid.zero(PATTERN, query=3, key=1),
    pellucid.scale("blocks.0.mlp.pre", 1.5, position=2),
]
STATES = {
    "the whole": {},
    "a matrix of another text": {"text": "groot we am", "show": "logits"},
    "a setting of sampling": {
        "do": "sampling",
        "temperature": "1.5",
        "top_k": "6",
        "top_p": "0.95",
        "min_p": "0.01",
        "repetition_penalty": "1.2",
        "draw": "0.7",
    },
    "changes": {"show": PATTERN, "do": "what-if", "edits": pellucid.edits_to_json(EDITS)},
    "what was before them": {
        "show": "logits",
        "layer": "before",
        "edits": pellucid.edits_to_json(EDITS),
    },
    "the difference": {
        "show": "logits",
        "layer": "difference",
        "edits": pellucid.edits_to_json(EDITS),
    },
    "gradients": {"show": PATTERN, "do": "backward", "target": "7", "layer": "gradient"},
    "a text that has grown": {"ids": "1,11,3", "text": "i", "do": "sampling"},
    "a part of the tour": {"part": "4", "at": "2"},
}
SEEN = """() => [...document.querySelectorAll('header, main, section, aside, article, canvas')].map(
    each => each.toDataURL ? each.toDataURL() : each.innerText)
    .concat([...document.querySelectorAll('input, select, textarea')].map(each => each.value),
        [...document.querySelectorAll('[data-value]')].map(each => each.dataset.value))"""


def test_a_reload_returns_to_the_same_number(shown):
    shown.open(text="groot we am", show=PATTERN)
    shown.click(PATTERN, (0, 3, 1))
    before, address = shown.panel(), shown.tab.url
    shown.tab.reload()
    shown.explained(PATTERN, (0, 3, 1))
    assert shown.panel() == before
    assert shown.tab.url == address


def settled(tab):
    """All that is read and seen on the page, once it does not change any more."""
    before = None
    for _ in range(40):
        seen = tab.evaluate(SEEN)
        if seen == before:
            return seen
        before = seen
        tab.wait_for_timeout(150)
    raise AssertionError("the page does not come to rest")


def test_a_reload_returns_to_every_state(shown):
    """Each has its own look, or the comparison would say nothing."""
    looks = []
    for state in STATES.values():
        shown.open(**state)
        before, address = settled(shown.tab), shown.tab.url
        shown.tab.reload()
        shown.tab.locator("main [role=grid], main canvas").first.wait_for()
        assert settled(shown.tab) == before
        assert shown.tab.url == address
        looks.append(before)
    assert all(one != other for i, one in enumerate(looks) for other in looks[:i])


def test_a_reload_returns_to_a_state_that_was_made_by_hand(shown):
    """A text that has grown, with a slider moved and a number chosen."""
    shown.open(text="i", do="sampling")
    shown.tab.get_by_role("slider", name="temperature").fill("0")
    shown.tab.get_by_role("banner").get_by_role("button", name="generate").click()
    shown.tab.get_by_role("button", name="Back to the text").wait_for()
    shown.tab.get_by_role("banner").get_by_role("button", name="generate").wait_for()
    shown.tab.get_by_label("What comes next").first.get_by_role("button").first.click()
    shown.tab.locator("aside [data-value]:not(button)").wait_for()
    text = shown.tab.locator("header").inner_text()
    panel = shown.panel()
    shown.tab.reload()
    shown.tab.locator("aside [data-value]:not(button)").wait_for()
    assert shown.panel() == panel
    settled(shown.tab)
    assert shown.tab.locator("header").inner_text() == text
    assert shown.tab.get_by_role("slider", name="temperature").input_value() == "0"


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
