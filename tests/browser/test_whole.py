"""The page opens on the whole model: every tensor is there, drawn from its numbers."""

import numpy as np
import pytest

import pellucid
from pellucid.model.model import Model
from tests.browser.conftest import explored
from tests.browser.shown import Shown
from tests.small_models import WORDS, small_config

WHOLE = "The whole model"
DRAWN = """name => {
    const button = [...document.querySelectorAll('main button[data-tensor]')]
        .find(each => each.dataset.tensor === name);
    return [...button.querySelectorAll('canvas')].map(canvas => {
        const {width, height} = canvas;
        const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
        return {width, height, rgba: [...data]};
    });
}"""
INK = """name => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def pictures(tab, name):
    """The pictures of a tensor, each an array `[row, column, channel]`."""
    tab.locator(f'main button[data-tensor="{name}"] canvas').first.wait_for()
    drawn = tab.evaluate(DRAWN, name)
    return [np.array(each["rgba"]).reshape(each["height"], each["width"], 4) for each in drawn]


def is_drawn_from(tab, picture, values, limit):
    """Whether each pixel's strength is its number's share of the largest, in its sign's colour."""
    values = np.where(np.isfinite(values), values, 0)
    assert picture[..., 3] == pytest.approx(255 * np.abs(values) / limit, abs=1.5)
    strong = np.abs(values) > limit / 2
    for ink, where in (("--positive", values > 0), ("--negative", values < 0)):
        found = picture[strong & where][:, :3]
        assert np.abs(found - tab.evaluate(INK, ink)).max(initial=0) <= 2


@pytest.mark.parametrize("name", ["embed.out", "blocks.0.attn.masked_scores", "logits"])
def test_each_picture_is_its_tensor(shown, groot_page, name):
    shown.open()
    values = groot_page.trace[name].values
    (picture,) = pictures(shown.tab, name)
    limit = np.abs(values[np.isfinite(values)]).max()
    is_drawn_from(shown.tab, picture, values.reshape(picture.shape[:2]), limit)


def test_heads_stand_side_by_side(tab, pages):
    page = pages("like llama 3")
    Shown(tab, page.address).open()
    name = "blocks.1.attn.q"
    values = page.trace[name].values
    drawn = pictures(tab, name)
    heads = page.trace[name].dims.index("head")
    assert len(drawn) == page.model.config.n_head == values.shape[heads]
    for picture, of_head in zip(drawn, np.moveaxis(values, heads, 0), strict=True):
        is_drawn_from(tab, picture, of_head, np.abs(values).max())


def test_pictures_grow_with_the_stage_and_need_no_scrolling(shown):
    """On a laptop all of them are in sight; on a wide screen they are larger, and still are."""
    sizes = []
    for width, height in ((1280, 800), (2560, 1440)):
        shown.tab.set_viewport_size({"width": width, "height": height})
        shown.open(show="all")
        picture = shown.tab.locator('main button[data-tensor="probs"] canvas')
        picture.wait_for()
        sizes.append(picture.bounding_box()["width"])
        scrolls = "main => main.parentElement.scrollHeight > main.parentElement.clientHeight"
        assert not shown.tab.get_by_role("main", name=WHOLE).evaluate(scrolls)
    assert sizes[1] > 1.5 * sizes[0]


def test_a_picture_leads_to_its_numbers_and_esc_leads_back(shown):
    shown.open()
    whole = shown.tab.get_by_role("main", name=WHOLE)
    whole.get_by_role("button", name="pattern", exact=False).first.click()
    assert shown.grids("blocks.0.attn.pattern")
    assert "show=blocks.0.attn.pattern" in shown.tab.url
    shown.tab.keyboard.press("Escape")
    whole.wait_for()
    shown.tab.reload()
    whole.wait_for()


def test_a_number_of_the_whole_is_reached_from_what_comes_next(shown):
    """Choosing a number leaves the whole; Esc leaves the number, then leads back to the whole."""
    shown.open()
    shown.tab.get_by_label("What comes next").first.get_by_role("button").first.click()
    shown.tab.locator("aside [data-value]:not(button)").wait_for()
    assert shown.grids("probs")
    shown.tab.keyboard.press("Escape")
    assert shown.tab.get_by_role("main", name="The stage").count() == 1
    shown.tab.keyboard.press("Escape")
    shown.tab.get_by_role("main", name=WHOLE).wait_for()


def test_what_a_change_runs_on_to_is_marked(shown, groot_page):
    edits = [pellucid.zero("blocks.0.mlp.post", position=1)]
    after = groot_page.model.trace(groot_page.text, edits=edits)
    shown.open(show="all", edits=pellucid.edits_to_json(edits))
    marked = shown.tab.locator("main button[data-tensor][aria-label$=', changed']")
    marked.first.wait_for()
    shown.tab.wait_for_timeout(200)
    found = set(marked.evaluate_all("all => all.map(each => each.dataset.tensor)"))
    shared = [name for name in after.names if name in groot_page.trace.names]
    differs = {
        name
        for name in shared
        if not np.array_equal(after[name].values, groot_page.trace[name].values)
    }
    drawn = shown.tab.locator("main button[data-tensor]")
    all_drawn = set(drawn.evaluate_all("all => all.map(each => each.dataset.tensor)"))
    assert found == differs & all_drawn
    assert {"blocks.0.mlp.post", "logits"} <= found
    assert "blocks.0.attn.pattern" in all_drawn - found


def test_of_many_blocks_every_head_is_in_one_grid(tab, tmp_path):
    config = small_config().replace(n_layer=6)
    deep = explored(
        Model.from_config(config, WORDS), "oak elm", tmp_path / "deep.html", title="deep"
    )
    Shown(tab, deep.address).open()
    grid = tab.get_by_role("main", name=WHOLE).get_by_role("grid")
    cells = grid.get_by_role("gridcell")
    tab.wait_for_function("() => document.querySelector('main [role=gridcell][data-value]')")
    assert cells.count() >= config.n_layer * config.n_head
    first = deep.trace["blocks.3.attn.pattern"].values[1, -1, 0]
    shown = grid.locator("#overview-3-1").get_attribute("data-value")
    assert float(shown) == pytest.approx(float(first), abs=1e-5)
    # The map beside the stage shows the same grid as soon as the stage shows something else.
    assert tab.get_by_role("grid", name="layers by heads").count() == 1
    cells.first.locator("xpath=ancestor::*[@role='grid']").press("Enter")
    tab.get_by_role("main", name="The stage").wait_for()
    assert tab.get_by_role("grid", name="layers by heads").count() == 1
