"""What is copied from the page is what stands on it: a matrix, and how a number was made."""

import base64
import csv
from io import BytesIO, StringIO

import numpy as np
import pytest
from PIL import Image

from tests.browser.conftest import opened_tab
from tests.browser.shown import Shown
from tests.browser.test_shown import close
from tests.browser.test_whole import INK

PATTERN = "blocks.0.attn.pattern"
MASKED = "blocks.0.attn.masked_scores"
IMAGE = """async () => {
    const [item] = await navigator.clipboard.read();
    const bytes = new Uint8Array(await (await item.getType('image/png')).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
}"""
MANY = 600
"""Pixels of one colour: more than letters and lines have, fewer than a cell."""


@pytest.fixture
def copied(browser, groot_page):
    """BabyGroot's page in a tab that may use the clipboard."""
    allowed = ["clipboard-read", "clipboard-write"]
    for tab in opened_tab(browser, offline=True, permissions=allowed):
        yield Shown(tab, groot_page.address)


def copy(shown, what):
    """Press a button that copies, and wait until it says that it has."""
    shown.tab.get_by_role("button", name=what, exact=True).click()
    shown.tab.get_by_role("status").filter(has_text="copied").first.wait_for(state="attached")


def text(shown):
    """The text on the clipboard."""
    return shown.tab.evaluate("() => navigator.clipboard.readText()")


@pytest.mark.parametrize("name", [PATTERN, MASKED])
def test_a_matrix_as_csv_has_its_labels_and_every_digit(copied, groot_page, name):
    copied.open(show=name)
    copied.grids(name)
    copy(copied, f"Copy {name} as CSV")
    first, *rows = csv.reader(StringIO(text(copied)))
    tokens = list(groot_page.trace.tokens)
    assert first == [name, *tokens]
    assert [row[0] for row in rows] == tokens
    found = np.array([row[1:] for row in rows], dtype="float32")
    assert found == close(groot_page.trace[name].values[0])
    cells = copied.grids(name)[name]
    assert {(0, *at): value for at, value in np.ndenumerate(found)} == cells


def test_a_matrix_as_an_image_has_the_colour_of_every_number(copied, groot_page):
    copied.open(show=PATTERN)
    copied.grids(PATTERN)
    copy(copied, f"Copy {PATTERN} as an image")
    image = Image.open(BytesIO(base64.b64decode(copied.tab.evaluate(IMAGE))))
    assert_drawn(copied, image, groot_page.trace[PATTERN].values[0])


def test_where_the_clipboard_takes_nothing_an_image_becomes_a_file(shown, groot_page):
    """As on a page that came by HTTP from another machine, and in some frames."""
    shown.tab.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    shown.open(show=PATTERN)
    shown.grids(PATTERN)
    with shown.tab.expect_download() as download:
        copy(shown, f"Copy {PATTERN} as an image")
    assert download.value.suggested_filename == f"{PATTERN}.png"
    assert_drawn(shown, Image.open(download.value.path()), groot_page.trace[PATTERN].values[0])


def test_and_a_text_is_copied_the_older_way(shown):
    shown.tab.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    shown.open(show=PATTERN)
    shown.click(PATTERN, (0, 2, 1))
    copy(shown, "copy link")
    link, box = shown.tab.url, shown.tab.get_by_role("textbox", name="The text")
    box.fill("")
    box.press("Control+V")
    assert box.input_value() == link


def test_an_explanation_as_text_names_every_operand(copied, groot_page):
    name = "blocks.0.attn.scores"
    copied.open(show=name)
    copied.click(name, (0, 2, 1))
    copy(copied, "copy text")
    first, title, *lines = text(copied).splitlines()
    explained = groot_page.trace.explainer.follow("value", name, (0, 2, 1))
    assert first.startswith(f"{name}[{explained.where}] = ")
    assert float(first.split(" = ")[1].replace("−", "-")) == pytest.approx(
        explained.value, rel=1e-5
    )
    assert title == explained.title
    of_parts = [line for line in lines if line.startswith("  ")]
    assert len(of_parts) == len(explained.contributions)
    for line, each in zip(of_parts, explained.contributions, strict=True):
        assert float(line.split()[0].replace("−", "-")) == pytest.approx(each.value, rel=1e-5)
        assert all(f"{term.name}[{term.where}]" in line for term in each.terms)


@pytest.mark.parametrize(
    "name", ["blocks.0.attn.scores", "blocks.0.attn.pattern", "blocks.0.mlp.post"]
)
def test_its_latex_is_pythons(copied, groot_page, name):
    index = (0,) * (groot_page.trace[name].values.ndim - 2) + (2, 1)
    copied.open(show=name)
    copied.click(name, index)
    copy(copied, "copy LaTeX")
    explained = groot_page.trace.explainer.follow("value", name, index)
    assert text(copied) == explained.to_dict(0)["latex"] != ""


def test_a_link_leads_to_the_number(copied):
    copied.open(show=PATTERN)
    copied.click(PATTERN, (0, 2, 1))
    before = copied.panel()
    copy(copied, "copy link")
    link = text(copied)
    copied.tab.goto("about:blank")
    copied.tab.goto(link)
    copied.explained(PATTERN, (0, 2, 1))
    assert copied.panel() == before


def assert_drawn(shown, image, values):
    """The colours of an image are those of shares between 0 and 1, of its background and lines."""
    pixels = np.array(image.convert("RGB")).reshape(-1, 3)
    found, times = np.unique(pixels, axis=0, return_counts=True)
    large = found[times > MANY].astype(float)
    inks = ("--paper", "--probability", "--grid")
    paper, full, grid = (np.array(shown.tab.evaluate(INK, ink)) for ink in inks)
    expected = [paper + share * (full - paper) for share in values.ravel()]
    for colour in expected:
        assert np.abs(large - colour).max(axis=1).min() <= 2
    for colour in large:
        assert min(np.abs(colour - each).max() for each in (*expected, paper, grid)) <= 2
