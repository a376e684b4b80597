"""Runs what a document says it ran, and writes down what came out.

    python -m tests.docs.replay docs/check-your-own.md

A `python` block that imports Pellucid is run; of a `console` block each line after `$` is, and the
lines below it are its output.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {"python": [sys.executable], "pellucid": [sys.executable, "-m", "pellucid"]}


def replay(document, folder):
    """The document with the output of this run; `folder` gets the examples and what they write."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)

    def again(block):
        kind, text = block.groups()
        if kind == "console":
            text = "".join(session(line[2:], folder) for line in commands(text))
        elif "import pellucid\n" in text:
            run([sys.executable, "-c", text], folder)
        return f"```{kind}\n{text}```"

    return BLOCK.sub(again, document)


def commands(session):
    return [line for line in session.splitlines() if line.startswith("$ ")]


def session(command, folder):
    """A command and its output, as a terminal of 80 columns shows them."""
    program, *arguments = shlex.split(command)
    return f"$ {command}\n{run([*PROGRAMS[program], *arguments], folder)}"


def run(command, folder):
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert not done.stderr, done.stderr
    return done.stdout


def main():
    """Bring the documents named on the command line up to date."""
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            Path(name).write_text(replay(Path(name).read_text("utf-8"), folder), "utf-8")


if __name__ == "__main__":
    main()
