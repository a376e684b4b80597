"""A page whose server ends, forgets, or begins anew: it says so, and shows only its own run."""

import json
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import LEAVES, model_of, serving
from tests.browser.shown import Shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return model_of("like llama 3").save(tmp_path_factory.mktemp("gone") / "oak")


@pytest.fixture
def online_tab(browser):
    """A tab in which requests may fail, but no script."""
    context = browser.new_context(reduced_motion="reduce")
    tab = context.new_page()
    tab.set_default_timeout(5000)
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    yield tab
    context.close()
    assert not wrong


def said(shown, words):
    return shown.tab.get_by_role("status").filter(has_text=words).first


def test_a_server_that_ends_and_begins_anew_is_told_from_itself(online_tab, folder):
    with serving(folder, LEAVES) as address:
        shown = Shown(online_tab, address)
        # Not the whole model: what has arrived already is shown without asking anybody.
        shown.open(show="embed.out")
    shown.turn(show="logits")
    said(shown, "The server does not answer").wait_for()
    with serving(folder, "elm elm", port=urlsplit(address).port):
        shown.turn(show="probs")
        said(shown, "started anew").wait_for()
        assert shown.tab.locator("[data-tensor=probs] [data-value]").count() == 0
        shown.tab.reload()
        shown.tab.locator("[data-tensor=probs] [data-value]").first.wait_for()


def test_a_run_that_was_forgotten_is_made_again(online_tab, served):
    """The numbers of runs are changed on their way, so that the server knows none of them once."""
    forgotten = []

    def forget(route):
        question = json.loads(route.request.post_data)
        if question["name"] not in forgotten:
            forgotten.append(question["name"])
            question["run"] = 10**6
        route.continue_(post_data=json.dumps(question))

    online_tab.route("**/tensor", forget)
    shown = Shown(online_tab, served.address)
    shown.open(show="logits")
    shown.tab.locator("[data-tensor=logits] [data-value]").first.wait_for()
    assert forgotten
    assert said(shown, "no longer kept").count() == 0


def test_an_answer_that_is_too_short_is_not_drawn(online_tab, served):
    online_tab.route("**/tensor", lambda route: route.fulfill(body=b"\0" * 8))
    shown = Shown(online_tab, served.address)
    online_tab.goto(served.address)
    said(shown, "did not arrive whole").wait_for()
