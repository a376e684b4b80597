"""Which page a model hands out, and what it keeps."""

import os

import nbformat
import pytest
from nbclient import NotebookClient

from pellucid.errors import PellucidError
from pellucid.serve import explorer
from pellucid.serve.explorer import INSTALL, LIVE, LiveExplorer
from pellucid.views.explorer import data
from pellucid.views.explorer.page import ExplorerPage
from tests.docs.notebooks import SETTINGS
from tests.serve.conftest import PROMPT

CELL = """
import pellucid
pellucid.load("baby-groot").explorer("i am groot", live=True)
"""


@pytest.fixture
def large(monkeypatch):
    """Every model is one that no page can carry."""
    monkeypatch.setattr(data, "MOST_LIVE", 0)


@pytest.fixture
def without_anywidget(monkeypatch):
    monkeypatch.setattr(explorer, "find_spec", lambda name: None)


def test_a_small_model_is_a_page_by_itself(groot):
    page = groot.explorer(PROMPT)
    assert isinstance(page, ExplorerPage)
    assert page.data["parameters"]["bytes"] is not None
    assert "<p>" not in page._repr_html_()[-200:]


def test_a_large_model_is_answered_by_the_kernel(groot, large):
    assert isinstance(groot.explorer(PROMPT), LiveExplorer)


def test_the_user_may_choose(groot, large):
    assert isinstance(groot.explorer(PROMPT, live=False), ExplorerPage)
    assert INSTALL not in groot.explorer(PROMPT, live=False)._repr_html_()
    assert isinstance(groot.explorer(PROMPT, live=True), LiveExplorer)


@pytest.mark.usefixtures("large", "without_anywidget")
def test_without_anywidget_a_large_model_says_how_to_get_it_live(groot):
    page = groot.explorer(PROMPT)
    assert page.data["trace"] is not None
    shown = page._repr_html_()
    assert shown.endswith("</p>")
    assert "pip install &#x27;pellucid[notebook]&#x27;" in shown
    with pytest.raises(PellucidError, match="anywidget"):
        groot.explorer(PROMPT, live=True)


def test_saved_it_is_a_page_that_needs_no_kernel(groot, large, tmp_path):
    page = groot.explorer(PROMPT, tmp_path / "page.html", title="groot")
    assert isinstance(page, LiveExplorer)
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert written == page.html == groot.explorer(PROMPT, title="groot", live=False).html


def test_a_notebook_keeps_a_table_and_what_to_do_and_no_page():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = NotebookClient(notebook, timeout=60, kernel_name="python3")
    client.execute(env={**os.environ, **SETTINGS})
    shown, said = [output["data"] for output in notebook.cells[0].outputs]
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "blocks.0.attn.pattern" in shown["text/html"]
    assert LIVE in said["text/html"]
    # The document is sent to whoever shows it: it is neither in the output nor in the state.
    assert len(nbformat.writes(notebook)) < 50_000
    assert "pellucid-page" not in nbformat.writes(notebook)
