"""On a phone: fingers instead of a mouse and keys, one part of the page at a time."""

import pytest

from tests.browser.conftest import opened_tab
from tests.browser.shown import Shown


@pytest.fixture
def phone(browser, groot_page):
    """The page on a phone, where it opens: in the tour."""
    for tab in opened_tab(browser, offline=True, has_touch=True, is_mobile=True):
        tab.set_viewport_size({"width": 400, "height": 800})
        shown = Shown(tab, groot_page.address)
        shown.open()
        yield shown


def test_nothing_is_said_of_keys_or_pointing(phone):
    words = phone.tab.locator("body").inner_text()
    assert "Tap a number" in words
    assert "tap any number" in words
    assert not {"Press", "Point", "space"} & set(words.split())


def test_a_word_that_is_tapped_leads_to_the_stage_and_the_tour_stays_where_it_was(phone):
    tab = phone.tab
    tab.get_by_role("combobox", name="Chapter").select_option("4")
    tour = tab.get_by_role("button", name="Tour", exact=True)
    word = tab.locator("article a[data-target]:not([data-target$=']'])").first
    name = word.get_attribute("data-target")
    word.tap()
    assert tour.get_attribute("aria-pressed") == "false"
    assert tab.locator(f'main [data-tensor="{name}"]').count()
    tour.tap()
    assert tab.get_by_role("combobox", name="Chapter").input_value() == "4"


def test_a_number_that_is_tapped_is_taken_apart_beside_the_text(phone):
    tab = phone.tab
    tab.get_by_role("combobox", name="Chapter").select_option("4")
    tab.locator("article a[data-target$=']']").first.tap()
    tab.locator("aside [data-value]").first.wait_for()
    assert tab.locator("article").is_visible()


def test_a_matrix_in_the_tour_does_not_scroll_sideways(phone):
    tab = phone.tab
    seen = 0
    for part in ("3", "4", "5"):
        tab.get_by_role("combobox", name="Chapter").select_option(part)
        tab.locator("article [role=grid]").first.wait_for()
        over = tab.locator("article [role=grid]").evaluate_all(
            """grids => grids.map(({parentElement: box}) => box.scrollWidth - box.clientWidth)"""
        )
        assert max(over) <= 1
        seen += len(over)
    assert seen >= 10
