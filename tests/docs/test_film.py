"""docs/film.md: what it computes is what it says, and what it types is there."""

import re
import subprocess
import sys

import pytest
import typer
from PIL import Image

import pellucid
from pellucid import figures
from pellucid.cli.film import film
from pellucid.cli.train import train
from tests.docs.replay import ROOT

PAGE = (ROOT / "docs" / "film.md").read_text(encoding="utf-8")
COMPUTED = re.findall(r"^```python\n(.*?)^```\n\n^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_figures_are_what_the_program_beside_them_prints():
    ((program, output),) = COMPUTED
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == output


@pytest.mark.parametrize(("command", "function"), [("train", train), ("film", film)])
def test_every_option_that_is_typed_is_there(command, function):
    app = typer.Typer()
    app.command()(function)
    known = {flag for param in typer.main.get_command(app).params for flag in param.opts}
    typed = {
        option
        for line in re.findall(rf"^pellucid {command} (.*?)(?:  |$)", PAGE, flags=re.MULTILINE)
        for option in re.findall(r"--[a-z-]+", line)
    }
    assert typed
    assert typed <= known


def test_the_picture_is_of_the_epochs_that_the_program_keeps():
    with Image.open(ROOT / "docs" / "images" / "film.gif") as image:
        assert getattr(image, "n_frames", 1) == 37
    assert (ROOT / "docs" / "images" / "film.gif").stat().st_size < 400_000


def test_every_name_in_the_table_is_there():
    run = pellucid.train(["a b", "a c"], preset="baby-groot", film=100)
    kept = pellucid.film(run)
    seen = {"film": kept, "figures": figures, "watched": kept.trace("a")}
    names = set(re.findall(r"(film|watched|figures)\.(\w+)", PAGE.split("## The file")[0]))
    names -= {("film", "gif"), ("film", "mp4"), ("film", "safetensors"), ("film", "md")}
    assert len(names) > 8
    for whose, name in names:
        assert hasattr(seen[whose], name), (whose, name)
