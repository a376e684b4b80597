"""The tour from its start to its end, by keyboard alone."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.shown import Shown

MOST = 400
"""Steps; the tour is far shorter."""


def view(tab):
    """What the address says is looked at."""
    return {key: each[0] for key, each in parse_qs(urlsplit(tab.url).fragment).items()}


def chapter(tab):
    return int(tab.get_by_role("combobox", name="Chapter").input_value())


@pytest.mark.parametrize("key", ["Space", "ArrowRight"])
def test_a_key_leads_from_the_first_word_to_the_last(shown, groot_page, key):
    """Every chapter comes, in order; numbers that it shows are those of the run all along."""
    tab = shown.tab
    shown.open()
    chapters = tab.get_by_role("combobox", name="Chapter").locator("option").count()
    assert chapters >= 8
    visited, seen, here = [0], set(), None
    for _ in range(MOST):
        tab.keyboard.press(key)
        now = (chapter(tab), tab.locator("article > [aria-current=step]").inner_text())
        if now == here:
            break
        here = now
        if visited[-1] != here[0]:
            visited.append(here[0])
        seen.add(view(tab).get("show"))
    assert visited == list(range(chapters))
    assert seen >= {"blocks.0.attn.scores", "blocks.0.attn.pattern", "blocks.0.mlp.out"}


def test_the_other_arrow_leads_back_to_the_beginning(shown):
    shown.open(part="1")
    for _ in range(MOST):
        shown.tab.keyboard.press("ArrowLeft")
        if chapter(shown.tab) == 0:
            break
    assert chapter(shown.tab) == 0


def test_its_words_lead_to_the_stage_and_its_numbers_are_taken_apart(shown, groot_page):
    """Tab reaches a word of the text, Enter follows it; Esc leads out again."""
    tab = shown.tab
    shown.open(part="4")
    words = tab.locator("article [data-target]")
    words.first.wait_for()
    targets = {each.get_attribute("data-target") for each in words.all()}
    assert any("[" in target for target in targets), "no live number in the chapter on attention"
    for _ in range(MOST):
        tab.keyboard.press("Tab")
        target = tab.evaluate("document.activeElement.dataset?.target ?? ''")
        if target.endswith("]"):
            break
    name, index = target.rstrip("]").split("[")
    tab.keyboard.press("Enter")
    at = tuple(map(int, index.split(",")))
    shown.explained(groot_page.trace.graph.resolve(name), at)
    assert shown.panel().value == pytest.approx(
        float(groot_page.trace.explainer.tensor(name).values[at]), abs=1e-5
    )
    tab.keyboard.press("Escape")
    tab.wait_for_function("() => !location.hash.includes('cell=')")


def test_every_number_in_its_prose_is_that_of_the_run(shown, groot_page):
    """Of the tour's own text as it was written; beside it, of another text, what that one has."""
    own, trace = groot_page.trace, groot_page.model.trace("groot we am")
    shown.open(text="groot we am")
    quoted = [each for part in parts(shown) for each in numbers(part)]
    for target, written, now in quoted:
        name, index = target.rstrip("]").split("[")
        place = tuple(map(int, index.split(",")))
        assert reads(own, name, place, written), target
        assert now in (None, "–") or reads(trace, name, place, now), target
    assert sum(now is not None for *_, now in quoted) >= 10


def reads(trace, name, index, written):
    """Whether a number is written as what a tensor has there."""
    value = float(trace.explainer.tensor(name).values[index])
    value *= 100 if written.endswith("%") else 1
    number = written.replace("−", "-").strip("%<>")
    return float(number) == pytest.approx(value, abs=1.01 * 10.0 ** -len(number.partition(".")[2]))


def test_at_its_own_text_nothing_stands_beside_its_numbers(shown):
    shown.open()
    quoted = [each for part in parts(shown) for each in numbers(part)]
    assert len(quoted) >= 10
    assert [each for each in quoted if each[2] is not None] == []


def test_the_stage_has_the_text_that_is_spoken_of(shown, groot_page):
    """In the chapter on generation; and the tour's own again where that is over."""
    shown.open(part="7")
    texts = []
    for _ in range(MOST):
        shown.tab.keyboard.press("Space")
        texts.append(view(shown.tab).get("text"))
        if len(texts) > 1 and texts[-1] == groot_page.text != texts[-2]:
            break
    assert {"i am", "groot likes"} & set(texts)
    assert shown.tab.get_by_role("textbox", name="The text").input_value() == groot_page.text
    assert not shown.tab.get_by_text("the chapters tell of").count()


def test_space_goes_on_whatever_has_been_clicked(shown):
    """The mouse leaves the focus on a number; that must not keep who reads on from going on."""
    shown.open(part="4")
    shown.tab.keyboard.press("Space")
    progress = shown.tab.get_by_role("progressbar")
    before = progress.get_attribute("value")
    name = view(shown.tab)["show"]
    shown.grids(name)
    shown.tab.locator("main [role=gridcell] button").first.click()
    shown.tab.keyboard.press("Space")
    assert progress.get_attribute("value") == str(int(before) + 1)
    shown.tab.keyboard.press("Tab")
    shown.tab.locator("main [role=gridcell] button").first.focus()
    shown.tab.keyboard.press("ArrowDown")
    shown.tab.keyboard.press("Space")
    shown.tab.wait_for_function("() => location.hash.includes('cell=')")
    assert progress.get_attribute("value") == str(int(before) + 1)


def parts(shown):
    """Each chapter of the tour, once it is there."""
    select = shown.tab.get_by_role("combobox", name="Chapter")
    for part in range(select.locator("option").count()):
        select.select_option(str(part))
        shown.tab.wait_for_timeout(200)
        yield shown.tab.locator("article")


def numbers(article):
    """The numbers in its prose: the cell that each is of, how it reads, and what the stage has."""
    return article.evaluate(
        """article => [...article.querySelectorAll("[data-target$=']']")].map(each => [
            each.dataset.target, each.firstChild.textContent.trim(),
            each.querySelector('[data-now]')?.dataset.now ?? null])"""
    )


def test_without_a_mouse_every_part_of_the_page_is_reached(tab, pages):
    """Tab goes to the text, the stack, the stage and its cells, and what can be done."""
    page = pages("like llama 3")
    shown = Shown(tab, page.address)
    shown.open(show="blocks.0.attn.pattern")
    reached = set()
    for _ in range(150):
        tab.keyboard.press("Tab")
        reached.add(
            tab.evaluate(
                """() => document.activeElement.closest('[role=grid], nav, header, main, aside,'
                    + 'section')?.getAttribute('aria-label') ?? document.activeElement.tagName"""
            )
        )
    assert {"The stack", "blocks.0.attn.pattern", "What can be done"} <= reached


def test_arrows_move_in_a_matrix_and_enter_takes_a_number_apart(shown, groot_page):
    name = "blocks.0.attn.pattern"
    shown.open(show=name)
    shown.cell(name, (0, 0, 0)).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End", "Home", "ArrowRight"):
        shown.tab.keyboard.press(key)
    shown.tab.keyboard.press("Enter")
    shown.explained(name, (0, 2, 1))
    expected = float(groot_page.trace[name].values[0, 2, 1])
    assert shown.panel().value == pytest.approx(expected, abs=1e-5)


def test_a_question_mark_lists_the_keys_and_esc_closes_the_list(shown):
    shown.open()
    shown.tab.keyboard.press("?")
    help = shown.tab.get_by_role("dialog")
    help.wait_for()
    assert "Esc" in help.inner_text()
    shown.tab.keyboard.press("Escape")
    help.wait_for(state="hidden")
