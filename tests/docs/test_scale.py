"""docs/scale.md: what it computes is what it says, and what it types is there."""

import re
import subprocess
import sys

import pytest
import typer

from pellucid.cli.train import train
from tests.docs.replay import ROOT

PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
COMPUTED = re.findall(r"^```python\n(.*?)^```\n\n^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
OUR_OPTIONS = re.compile(r"pellucid train ([^`]*?)(?:\n|`|$)")


def test_there_is_something_computed():
    assert len(COMPUTED) == 2


@pytest.mark.parametrize(("program", "output"), COMPUTED)
def test_figures_are_what_the_program_beside_them_prints(program, output):
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == output


def test_every_option_that_is_typed_is_there():
    app = typer.Typer()
    app.command()(train)
    known = {flag for param in typer.main.get_command(app).params for flag in param.opts}
    typed = {
        option
        for command in OUR_OPTIONS.findall(PAGE.replace("\\\n", " "))
        for option in re.findall(r"--[a-z-]+", command)
    }
    assert {"--engine", "--sharding", "--resume", "--out"} <= typed
    assert typed <= known


def test_every_file_it_points_to_is_there():
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
