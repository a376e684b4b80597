"""A large model's page in JupyterLab: its kernel answers, and the numbers are Python's."""

import os
import re
import subprocess
import sys

import nbformat
import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.browser.shown import Shown
from tests.browser.test_shown import close
from tests.docs.notebooks import SETTINGS

CELL = """
import pellucid
pellucid.load("large").explorer("oak elm", title="large")
"""


@pytest.fixture(scope="module")
def model():
    """A model of more weights than a page may carry."""
    config = ModelConfig(vocab_size=7, block_size=8, n_layer=2, n_head=4, n_embd=480)
    return Model.from_config(config, tokenizer=Tokenizer.words(["ash elm fir oak"]), seed=0)


@pytest.fixture
def lab(model, tmp_path):
    """The address at which JupyterLab shows a notebook with that cell."""
    model.save(tmp_path / "large")
    cells = [nbformat.v4.new_code_cell(CELL.strip())]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, tmp_path / "large.ipynb")
    own = {f"JUPYTER_{each}_DIR": str(tmp_path / each) for each in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser"]
    command += ["--ServerApp.port=0", "--IdentityProvider.token=ours"]
    command += [f"--ServerApp.root_dir={tmp_path}"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, **SETTINGS, **own}
    ) as server:
        assert server.stderr is not None
        said = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stderr)
        found = next(filter(None, said), None)
        assert found
        yield f"{found[0]}/doc/tree/large.ipynb?token=ours"
        server.terminate()


@pytest.fixture
def notebook(browser):
    """A tab that reaches this machine, with the notebook's own noise left to it."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    tab = context.new_page()
    tab.set_default_timeout(30_000)
    yield tab
    context.close()


@pytest.mark.slow
def test_another_text_is_typed_a_number_clicked_and_both_are_pythons(notebook, lab, model):
    notebook.goto(lab)
    # A cell that is run before there is a kernel is not run at all.
    notebook.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    notebook.locator(".jp-CodeCell .cm-content").first.click()
    notebook.keyboard.press("Shift+Enter")
    frame = notebook.wait_for_selector("iframe[title=Explorer]").content_frame()
    shown = Shown(frame, lab)
    frame.get_by_role("textbox", name="The text").fill("fir oak ash")
    frame.get_by_role("button", name="logits", exact=True).click()
    trace = model.trace("fir oak ash")
    last = (len(trace.ids) - 1, 6)
    shown.cell("logits", last).wait_for()
    cells = shown.grids("logits")["logits"]
    assert cells == {index: close(float(trace["logits"].values[index])) for index in cells}
    assert len(cells) == trace["logits"].values.size
    shown.cell("logits", last).click()
    frame.locator("aside [data-value]:not(button)").wait_for()
    explained = trace.explain("logits", position=last[0], vocab=last[1])
    assert shown.panel().value == close(explained.value)
    assert shown.panel().rows == [
        [close(term.value) for term in each.terms] for each in explained.contributions[:12]
    ]
