"""A large model's page in JupyterLab: its kernel answers, and the numbers are Python's."""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from urllib.request import urlopen

import nbformat
import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.browser.shown import Shown
from tests.browser.test_shown import close
from tests.docs.notebooks import SETTINGS

SECONDS = 60
"""JupyterLab and its kernel start in five, on a machine that is not busy."""
TOKEN = "ours"
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
    command += ["--ServerApp.port=0", f"--IdentityProvider.token={TOKEN}"]
    command += [f"--ServerApp.root_dir={tmp_path}"]
    log = tmp_path / "lab.log"
    with (
        log.open("w") as written,
        subprocess.Popen(command, stderr=written, env={**os.environ, **SETTINGS, **own}) as server,
    ):
        yield f"{address(log)}/doc/tree/large.ipynb?token={TOKEN}"
        server.terminate()


def address(log):
    """Where the server whose log this is answers, as soon as it does."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
            with suppress(OSError), urlopen(f"{found[0]}/api/status?token={TOKEN}"):
                return found[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture
def notebook(browser):
    """A tab that reaches this machine, with the notebook's own noise left to it."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    tab = context.new_page()
    tab.set_default_timeout(1000 * SECONDS)
    yield tab
    context.close()


def run_cell(notebook):
    """Run the first cell: JupyterLab shows it before it heeds the keys, so press until it does."""
    cell = notebook.locator(".jp-CodeCell").first
    notebook.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    for _ in range(SECONDS):
        cell.locator(".cm-content").click()
        notebook.keyboard.press("Control+Enter")
        notebook.wait_for_timeout(1000)
        if cell.locator(".jp-InputPrompt").inner_text() != "[ ]:":
            return
    raise AssertionError("The cell did not run.")


@pytest.mark.slow
def test_another_text_is_typed_a_number_clicked_and_both_are_pythons(notebook, lab, model):
    notebook.goto(lab)
    run_cell(notebook)
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
