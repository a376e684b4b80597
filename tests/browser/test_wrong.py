"""What cannot be is said, and never shown as if it were a number of the model."""

import numpy as np
import pytest

import pellucid
from pellucid.model.model import Model
from tests.browser.conftest import explored
from tests.browser.shown import Shown
from tests.small_models import WORDS, small_config, small_model

PATTERN = "blocks.0.attn.pattern"


def message(shown):
    return shown.tab.locator("#message").inner_text()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ids": "1,2,999"}, "There is no token 999"),
        ({"ids": ",".join("3" * 40)}, "40 tokens; this model reads 4"),
        ({"target": "999"}, "There is no token 999"),
        ({"edits": '[{"edit":"token","position":0,"id":999}]'}, "There is no token 999"),
        ({"edits": '[{"edit":"zero","name":"blocks.7.attn.pattern"}]'}, "blocks.7.attn.pattern"),
        ({"edits": '[{"edit":"zero","name":"logits","cell":{"vocab":99}}]'}, "out of range"),
    ],
    ids=str,
)
def test_an_address_that_asks_for_what_is_not_there_opens_as_without_it(
    shown, groot_page, wrong, said
):
    shown.open(show=PATTERN, **wrong)
    expected = groot_page.trace[PATTERN].values
    cells = shown.grids(PATTERN)[PATTERN]
    assert cells == {index: pytest.approx(float(expected[index]), abs=1e-5) for index in cells}
    assert said in message(shown)


def test_a_click_while_the_text_changes_explains_no_other_number(shown):
    """The matrix of the old text stands for a moment beside the new run: its cells are clicked."""
    name = "blocks.0.attn.masked_scores"
    shown.open(show=name)
    shown.grids(name)
    shown.tab.evaluate(
        """async name => {
            const box = document.querySelector('header input');
            box.value = 'we';
            box.dispatchEvent(new Event('input', { bubbles: true }));
            const grid = document.querySelector(`[role=grid][aria-label="${name}"]`);
            const old = () => grid.querySelector('[data-index="0,3,3"]');
            for (const end = Date.now() + 2000; old() && Date.now() < end;) {
                old().click();
                await new Promise(resolve => setTimeout(resolve));
            }
        }""",
        name,
    )
    shown.tab.wait_for_timeout(300)
    assert "cell=" not in shown.tab.url
    assert not shown.tab.locator("aside [data-value]:not(button)").count()


def test_of_logits_that_are_no_numbers_nothing_is_drawn(tab, pages):
    shown = Shown(tab, pages("not a number").address)
    shown.open(show="logits", do="sampling")
    tab.get_by_text("is not a number: nothing can be drawn").first.wait_for()
    assert not tab.locator("[data-drawn]").count()
    tab.get_by_role("banner").get_by_role("button", name="generate").click()
    tab.wait_for_timeout(200)
    assert "undefined" not in tab.locator("body").inner_text()


def test_in_small_pictures_too_what_is_no_number_has_its_own_colour(tab, tmp_path):
    model = small_model(dtype="float32", tokenizer=WORDS)
    parameters = {key: np.array(values) for key, values in model.parameters.items()}
    parameters["blocks.1.attn.w_q"][3, 0] = np.nan
    broken = Model(model.config, parameters, WORDS)
    page = explored(broken, "oak elm", tmp_path / "nan.html", title="broken")
    Shown(tab, page.address).open()
    canvas = tab.locator('main button[data-tensor="blocks.1.attn.pattern"] canvas').first
    canvas.wait_for()
    drawn = canvas.evaluate(
        "each => [...each.getContext('2d').getImageData(0, 0, each.width, each.height).data]"
    )
    wrong = tab.evaluate(
        """() => { const pen = document.createElement('canvas').getContext('2d');
            pen.fillStyle = getComputedStyle(document.documentElement)
                .getPropertyValue('--not-a-number');
            pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data]; }"""
    )
    pixels = np.array(drawn).reshape(-1, 4)
    isnan = np.isnan(broken.trace("oak elm")["blocks.1.attn.pattern"].values[0]).ravel()
    assert isnan.any()
    assert (pixels[isnan] == wrong).all()


def test_a_number_of_another_head_brings_that_head_on_the_stage(tab, pages):
    page = pages("as it is")
    shown = Shown(tab, page.address)
    shown.open(show="blocks.0.attn.z_flat", cell="blocks.0.attn.z_flat@1,5")
    tab.locator("aside button[data-value]").first.click()
    tab.wait_for_function("location.hash.includes('head=2')")
    head = page.model.config.n_embd // page.model.config.n_head
    assert 5 // head == 2
    assert tab.locator("main [aria-selected=true]").count() >= 1


def test_without_a_worker_the_page_says_so(browser, groot_page):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    tab = context.new_page()
    tab.add_init_script(
        "Worker = class extends EventTarget { constructor() { super();"
        " setTimeout(() => this.onerror?.({ message: 'blocked' })); } postMessage() {} }"
    )
    tab.goto(groot_page.address)
    tab.get_by_text("The engine of this page has stopped").first.wait_for(timeout=5000)
    context.close()


def test_a_page_in_a_frame_takes_changes_and_texts(browser, groot):
    """As a notebook shows it: within another page, and kept from it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    tab = context.new_page()
    wrong: list[str] = []
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.set_content(groot.explorer("i am groot")._repr_html_())
    page = tab.frame_locator("iframe")
    page.get_by_role("textbox", name="The text").fill("friend likes")
    page.get_by_role("main").get_by_role("button", name="pattern").first.click()
    page.locator(
        'main [role=grid][aria-label="blocks.0.attn.pattern"] [data-index="0,2,1"]'
    ).click()
    page.get_by_role("button", name="What if").click()
    page.get_by_role("button", name="Set", exact=True).click()
    row = page.get_by_label("What comes next").first.locator("[data-before]").first
    row.wait_for()
    trace = groot.trace(
        "friend likes", edits=[pellucid.set_to("blocks.0.attn.pattern", 0.0, query=2, key=1)]
    )
    best = int(trace["probs"].values[-1].argmax())
    shares = page.get_by_label("What comes next").first.locator("[data-value]")
    found = [float(each.get_attribute("data-value")) for each in shares.all()]
    assert max(found) == pytest.approx(float(trace["probs"].values[-1, best]), abs=1e-5)
    assert page.locator("#message").inner_text() == ""
    assert not wrong
    context.close()


def test_a_row_that_no_token_has_is_never_drawn(tab, tmp_path):
    """A vocabulary may be rounded up: its last rows are of no token."""
    config = small_config().replace(vocab_size=16)
    model = Model.from_config(config, WORDS)
    page = explored(model, "oak elm", tmp_path / "round.html", title="round")
    Shown(tab, page.address).open(do="sampling", show="logits", draw="0.999")
    tab.locator("[data-drawn]").wait_for()
    assert int(tab.locator("[data-drawn]").get_attribute("data-drawn")) < WORDS.vocab_size
    tab.get_by_role("button", name="Show more").click()
    rows = tab.get_by_role("table", name="From logits to the draw").locator("[data-id]")
    tab.wait_for_function("() => document.querySelectorAll('[data-id]').length === 16")
    for row in rows.all():
        shares = row.locator("[style] >> nth=-1").get_attribute("data-value")
        if int(row.get_attribute("data-id")) >= WORDS.vocab_size:
            assert float(shares) == 0
