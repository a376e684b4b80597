"""Pages of several models, in a browser that reaches no network."""

import re
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import pellucid
from pellucid.model.model import Model
from pellucid.tour.tour import tour
from pellucid.trace.trace import Trace
from pellucid.views.explorer import to_page
from pellucid.views.explorer.blocks import chapter_data
from tests.browser.browser import NoBrowserError, chromium
from tests.browser.shown import Shown
from tests.small_models import WORDS, small_model

PROMPT = "i am groot"
LEAVES = "oak elm oak fir"
KIN = ("like llama 3", "like gemma 3", "like bloom")
"""Grouped heads, rotary positions of several kinds, gates, norms of heads, ALiBi."""


@dataclass(frozen=True)
class Explored:
    """A model, a text that it has read, and the address of the page that shows both."""

    model: Model
    trace: Trace
    text: str
    address: str

    @property
    def file(self) -> str:
        """All that stands in the page's file."""
        return Path(urlsplit(self.address).path).read_text(encoding="utf-8")


# No longer than a file: as long as it is open, nothing else in its thread may run an event loop.
@pytest.fixture(scope="module")
def browser():
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(chromium())
        except NoBrowserError as error:
            pytest.skip(str(error))
        yield opened


@pytest.fixture(scope="session")
def groot():
    return pellucid.load("baby-groot")


@pytest.fixture(scope="session")
def groot_page(groot, tmp_path_factory):
    """The page of BabyGroot with its tour, as a file."""
    trace = groot.trace(PROMPT)
    chapters = [chapter_data(scene, trace) for scene in tour(PROMPT, model=groot)]
    path = tmp_path_factory.mktemp("page") / "groot.html"
    return explored(groot, PROMPT, path, title="baby-groot", chapters=chapters)


@pytest.fixture(scope="session")
def pages(groot_page, tmp_path_factory):
    """Pages of models by their names, each made when it is asked for."""
    folder = tmp_path_factory.mktemp("pages")
    made = {"baby-groot": groot_page}

    def page(name):
        if name not in made:
            made[name] = explored(model_of(name), LEAVES, folder / f"{len(made)}.html", title=name)
        return made[name]

    return page


def model_of(name):
    """A small model; one with a number missing among its weights is called "not a number"."""
    if name != "not a number":
        return small_model(name, dtype="float32", tokenizer=WORDS)
    model = small_model(dtype="float32", tokenizer=WORDS)
    parameters = {key: np.array(values) for key, values in model.parameters.items()}
    parameters["blocks.1.mlp.w_in"][3, 5] = np.nan
    return Model(model.config, parameters, WORDS)


def explored(model, text, path, **options):
    """A page, written to a file."""
    trace = model.trace(text)
    page = to_page(trace, prompt=text, tokenizer=model.tokenizer, **options)
    return Explored(model, trace, text, page.save(path).as_uri())


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """A model with several heads, served by the command that users type."""
    model = model_of("like llama 3")
    folder = model.save(tmp_path_factory.mktemp("served") / "oak")
    with serving(folder, LEAVES) as address:
        yield Explored(model, model.trace(LEAVES), LEAVES, address)


@contextmanager
def serving(folder, text, *, port=0):
    """The address at which `pellucid explore` serves a folder, as long as it does."""
    command = [sys.executable, "-m", "pellucid", "explore", str(folder), text, "--no-browser"]
    command += ["--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said
        try:
            yield found[0]
        finally:
            # A test that fails must not wait for a server that nobody ends.
            server.terminate()


@pytest.fixture
def tab(browser):
    """A tab without a network; whatever goes wrong in it fails the test."""
    yield from opened_tab(browser, offline=True)


@pytest.fixture
def online_tab(browser):
    """A tab that reaches a server on this machine."""
    yield from opened_tab(browser)


def opened_tab(browser, **options):
    size = {"width": 1280, "height": 800}
    context = browser.new_context(viewport=size, reduced_motion="reduce", **options)
    tab = context.new_page()
    tab.set_default_timeout(5000)
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield tab
    context.close()
    assert not wrong


@pytest.fixture
def shown(tab, groot_page):
    """BabyGroot's page in a tab, not yet opened."""
    return Shown(tab, groot_page.address)
