"""Runs the notebooks, each in a kernel of its own, and keeps what came out.

python -m tests.docs.notebooks docs/notebooks/baby_groot.ipynb
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))

SETTINGS = {
    # Pages of text are as wide as those of a notebook, wherever this was started.
    "COLUMNS": "96",
    # The kernel of this environment, not one that the user has elsewhere.
    "JUPYTER_PREFER_ENV_PATH": "1",
    # Small matrices gain nothing from more, and on a busy machine threads wait for each other.
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": str(ROOT),
    "PYTHONUTF8": "1",
}


def read(path):
    return nbformat.read(path, as_version=4)


def run(path):
    """The notebook with the outputs of this run, and nothing that says when or where it was."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=60,
        coalesce_streams=True,
        record_timing=False,
        resources={"metadata": {"path": str(ROOT / "docs" / "notebooks")}},
    )
    client.execute(env={**os.environ, **SETTINGS})
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def main():
    """Bring the notebooks named on the command line up to date, or all."""
    for path in map(Path, sys.argv[1:] or NOTEBOOKS):
        nbformat.write(run(path), path)


if __name__ == "__main__":
    main()
