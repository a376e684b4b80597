"""The README says what is true: its Python runs, its commands work, its tree is the tree."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"<!-- tree -->.*<!-- end of tree -->", "", README, flags=re.DOTALL)


def fenced(section: str, language: str) -> str:
    """The first fenced block of a section."""
    after = README.partition(f"## {section}\n")[2]
    match = re.search(rf"^```{language}\n(.*?)^```", after, re.MULTILINE | re.DOTALL)
    assert match is not None
    return match.group(1)


def commands() -> list[str]:
    """The command lines that can be run as they stand: those without a placeholder."""
    lines = fenced("On the command line", "").splitlines()
    pieces = [piece for line in lines for piece in re.split(r" {3,}(?=pellucid)", line)]
    bare = [piece.partition("  #")[0].strip() for piece in pieces]
    return [line for line in bare if not re.search(r"MODEL|OTHER|\[--", line)]


def test_the_python_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(fenced("In Python", "python"), names)
    assert {"model", "trace", "back", "run"} <= names.keys()
    exec(fenced("Pictures and notebooks", "python"), names)
    assert "<text" in (tmp_path / "network.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", commands())
def test_each_command_works(line, capsys):
    program, *arguments = shlex.split(line)
    assert program == "pellucid"
    assert main(arguments) == 0
    assert capsys.readouterr().out.strip()


def test_the_tree_is_the_tree():
    check = [sys.executable, str(ROOT / "scripts" / "make-tree"), "--check"]
    assert subprocess.run(check).returncode == 0, "run scripts/make-tree"


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", PROSE))))
def test_each_link_leads_somewhere(link):
    assert (ROOT / link).exists()
