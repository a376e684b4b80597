"""A browser and a page for the tests of what is shown."""

import pytest

import pellucid
from pellucid.tour.tour import tour
from pellucid.views.explorer import to_page
from pellucid.views.explorer.blocks import chapter_data
from tests.browser.browser import chromium

PROMPT = "i am groot"


@pytest.fixture(scope="session")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def groot():
    return pellucid.load("baby-groot")


@pytest.fixture(scope="session")
def groot_page(groot, tmp_path_factory):
    """The page of BabyGroot with its tour, as a file."""
    chapters = [chapter_data(scene) for scene in tour(PROMPT, model=groot)]
    trace = groot.trace(PROMPT)
    page = to_page(
        trace, title="baby-groot", prompt=PROMPT, tokenizer=groot.tokenizer, chapters=chapters
    )
    return page.save(tmp_path_factory.mktemp("page") / "groot.html")


@pytest.fixture
def tab(browser):
    """A tab without a network; whatever goes wrong in it fails the test."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
    tab = context.new_page()
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield tab
    context.close()
    assert not wrong
