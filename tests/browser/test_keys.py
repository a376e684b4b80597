"""Each key does what the list of keys says, and what is pointed at lights what made it."""

import pytest

from tests.browser.shown import Shown
from tests.browser.test_tour import view

SCORES = "blocks.0.attn.scores"
OUTLINED = """name => {
    const cells = document.querySelectorAll(`main [role=grid][aria-label="${name}"] [data-index]`);
    return [...cells].map(cell => [cell.dataset.index,
        getComputedStyle(cell.closest('[role=gridcell]')).outline]);
}"""


@pytest.fixture
def many(tab, pages):
    """A model with several blocks and heads, in a tab."""
    return Shown(tab, pages("like llama 3").address)


def test_brackets_lead_from_step_to_step(many):
    many.open(show=SCORES)
    steps = many.tab.get_by_role("group", name="The steps of", exact=False).get_by_role("button")
    current = "all => all.map(step => step.getAttribute('aria-current') === 'step')"
    places = []
    for key in ("]", "]", "[", "[", "["):
        many.tab.keyboard.press(key)
        places.append(steps.evaluate_all(current).index(True))
    first = places[0] - 1
    assert first > 0
    assert places == [first + 1, first + 2, first + 1, first, first - 1]
    many.tab.keyboard.press("]")
    assert view(many.tab)["show"] == SCORES


def test_comma_and_full_stop_lead_from_head_to_head(many):
    many.open(show="blocks.1.attn.pattern")
    seen = []
    for key in (".", ".", ",", ".", ".", ".", ","):
        many.tab.keyboard.press(key)
        seen.append(view(many.tab).get("head", "0"))
    # There are four.
    assert seen == ["1", "2", "1", "2", "3", "3", "2"]
    cells = many.grids("blocks.1.attn.pattern")["blocks.1.attn.pattern"]
    assert {index[0] for index in cells} == {2}


def test_so_do_the_buttons_of_the_heads(many):
    many.open(show="blocks.1.attn.pattern")
    many.tab.get_by_role("button", name="head 3").click()
    cells = many.grids("blocks.1.attn.pattern")["blocks.1.attn.pattern"]
    assert {index[0] for index in cells} == {3}


def test_a_slash_leads_to_the_text_where_keys_are_letters_again(shown):
    shown.open(show=SCORES)
    shown.tab.keyboard.press("/")
    box = shown.tab.get_by_role("textbox", name="The text")
    before = box.input_value()
    shown.tab.keyboard.press("End")
    shown.tab.keyboard.type("t?]")
    assert box.input_value() == before + "t?]"
    assert view(shown.tab)["show"] == SCORES
    assert not shown.tab.get_by_role("dialog").count()


def test_m_leads_into_the_matrix(shown):
    shown.open(show=SCORES)
    shown.grids(SCORES)
    shown.tab.keyboard.press("m")
    assert shown.cell(SCORES, (0, 0, 0)).evaluate("cell => cell === document.activeElement")


def test_t_turns_light_to_dark_and_that_is_kept(shown):
    shown.open(show=SCORES)
    paper = "() => getComputedStyle(document.body).backgroundColor"
    light = shown.tab.evaluate(paper)
    shown.tab.keyboard.press("t")
    dark = shown.tab.evaluate(paper)
    assert light != dark
    shown.tab.reload()
    shown.grids(SCORES)
    assert shown.tab.evaluate(paper) == dark
    shown.tab.keyboard.press("t")
    assert shown.tab.evaluate(paper) == light


@pytest.mark.parametrize("by", ["pointer", "keyboard"])
def test_what_made_a_number_lights_up_where_it_stands(shown, groot_page, by):
    """Of a score: the row of Q and the column of K, and nothing else."""
    name = SCORES
    shown.open(show=name)
    shown.grids(name)
    terms = groot_page.trace.explainer.follow("value", name, (0, 2, 1)).terms
    made_of = {(term.name, tuple(term.cell.values())) for term in terms}
    names = sorted({name for name, _ in made_of} & set(shown.grids(name)))
    assert len(names) >= 2
    before = {each: dict(shown.tab.evaluate(OUTLINED, each)) for each in names}
    cell = shown.cell(name, (0, 2, 1))
    if by == "pointer":
        cell.hover()
    else:
        cell.focus()
    shown.tab.wait_for_timeout(300)
    after = {each: dict(shown.tab.evaluate(OUTLINED, each)) for each in names}
    lit = {
        (each, tuple(map(int, index.split(","))))
        for each in names
        for index, outline in after[each].items()
        if outline != before[each][index]
    }
    assert lit == {each for each in made_of if each[0] in names}
