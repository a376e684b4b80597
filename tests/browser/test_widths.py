"""On a phone, a laptop and a wide screen, nothing hangs over and everything can be reached."""

import pytest

from tests.browser.shown import Shown

SIZES = {"phone": (400, 800), "laptop": (1280, 720), "wide": (2560, 1300)}
VIEWS = (
    {"show": "blocks.0.attn.pattern"},
    {"show": "logits", "cell": "logits@3,2"},
    {"show": "embed.out"},
    {"show": "blocks.0.mlp.pre"},
    {"show": "blocks.0.norm1"},
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_the_page_is_as_wide_as_the_screen(shown, size, view):
    width, height = SIZES[size]
    shown.tab.set_viewport_size({"width": width, "height": height})
    shown.open(**view)
    for _ in panes(shown.tab):
        assert shown.tab.evaluate("document.documentElement.scrollWidth") <= width
        assert hanging_over(shown.tab) == []


@pytest.mark.parametrize("size", SIZES)
def test_every_control_can_be_brought_into_sight(tab, pages, size):
    """Each button, link and field, scrolled to, lies within the window and has a size."""
    width, height = SIZES[size]
    tab.set_viewport_size({"width": width, "height": height})
    shown = Shown(tab, pages("like llama 3").address)
    name = "blocks.0.attn.pattern"
    shown.open(show=name, cell=f"{name}@0,2,1")
    for _ in panes(tab):
        assert unreachable(tab) == []
    assert shown.grid(name).is_visible()


@pytest.mark.parametrize("size", ["laptop", "wide"])
@pytest.mark.parametrize("name", ["blocks.0.attn.pattern", "blocks.0.mlp.pre", "logits", "probs"])
def test_no_matrix_of_the_stage_scrolls_sideways(shown, size, name):
    """Only so many columns are shown as there is room for, however long their numbers are."""
    width, height = SIZES[size]
    shown.tab.set_viewport_size({"width": width, "height": height})
    shown.open(show=name)
    assert shown.grids(name)
    scrolled = shown.tab.locator("main .scroll:has([role=grid])")
    hidden = scrolled.evaluate_all("all => all.map(each => each.scrollWidth - each.clientWidth)")
    assert max(hidden) == 0


def test_a_table_of_the_tour_turns_where_its_column_is_narrow(shown):
    """It has the same entries as on a wide screen; one that still hangs over fades there."""
    found = {size: tables(shown, *SIZES[size]) for size in ("wide", "laptop")}
    assert not any(table["over"] for table in found["wide"])
    assert [table["words"] for table in found["laptop"]] == [t["words"] for t in found["wide"]]
    assert any(table["head"] != found["wide"][i]["head"] for i, table in enumerate(found["laptop"]))
    over = [table for table in found["laptop"] if table["over"]]
    assert len(over) <= len(found["laptop"]) // 20
    for table in found["laptop"]:
        assert table["more"] == ("after" if table["over"] else ""), table["head"]
        assert table["stop"] == table["over"], table["head"]


def tables(shown, width, height):
    """The tables of all chapters: entries in any order, first row, and whether one hangs over."""
    shown.tab.set_viewport_size({"width": width, "height": height})
    shown.open()
    select = shown.tab.get_by_role("combobox", name="Chapter")
    found = []
    for part in range(select.locator("option").count()):
        select.select_option(str(part))
        shown.tab.wait_for_timeout(200)
        found += shown.tab.evaluate(
            """() => [...document.querySelectorAll('article [role=group]:has(> table)')].map(
                box => ({ over: box.scrollWidth > box.clientWidth + 1,
                    more: box.dataset.more, stop: box.tabIndex === 0,
                    head: box.querySelector('tr').textContent,
                    words: [...box.querySelectorAll('th, td')].map(each => each.textContent.trim())
                        .sort() }))"""
        )
    return found


def panes(tab):
    """Each of the parts that a narrow screen shows in turn, the stage last."""
    for name in ("Tour", "Stack", "Stage"):
        button = tab.get_by_role("button", name=name, exact=True)
        if button.count() and button.is_visible():
            button.click()
        yield name


def hanging_over(tab):
    """Parts of the page that reach beyond the window without being within something scrolled."""
    return tab.evaluate(
        """() => [...document.querySelectorAll('header, main, aside, nav, section')]
            .filter(each => { const box = each.getBoundingClientRect();
                return box.width && (box.right > innerWidth + 1 || box.left < -1); })
            .filter(each => !scrolled(each))
            .map(each => each.outerHTML.slice(0, 100));
            function scrolled(each) {
                for (let at = each.parentElement; at && at !== document.body; at = at.parentElement)
                    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
                return false; }"""
    )


def unreachable(tab):
    """Controls that no scrolling brings into the window."""
    return tab.evaluate(
        """() => [...document.querySelectorAll('button, a[href], input, select, summary')]
            .filter(each => each.checkVisibility({visibilityProperty: true}))
            .filter(each => { each.scrollIntoView({block: 'center', inline: 'center'});
                const box = each.getBoundingClientRect();
                const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
                const inside = x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight;
                return !inside || !box.width || !box.height; })
            .map(each => each.outerHTML.slice(0, 160))"""
    )
