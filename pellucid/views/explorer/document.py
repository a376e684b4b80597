"""The page with its data in it: one HTML file that needs nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from pellucid.errors import PellucidError

PLACE = re.compile(r'(<script type="application/json" id="pellucid-page">)\s*null\s*(</script>)')
"""Where the page that `web/` builds has room for its data."""

ALONE, ASKING = "connect-src 'none'", "connect-src 'self'"
"""In the policy of a page: it reaches nothing, or nothing but where it came from."""
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"')
MARK = b'<meta name="generator" content="Pellucid" />'
"""Stands in the first lines of every page of ours."""
HEAD = 4096
NOTEBOOK = "notebook:"
"""In place of a server's address: the kernel of the notebook that frames the page."""


def document(data: Mapping[str, Any]) -> str:
    """A whole HTML document.

    Raises:
        PellucidError: this installation has no built page.
    """
    # A "<" in a string would let a text end the script that it stands in.
    written = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    page = template()
    if data["server"] not in ("", NOTEBOOK):
        page = page.replace(ALONE, ASKING, 1)
    page, places = PLACE.subn(lambda place: place[1] + written + place[2], page)
    if places != 1:
        raise PellucidError("The page of this installation has no place for data: install again.")
    return page


def template() -> str:
    """The page as it was built, without data."""
    built = files("pellucid.views.explorer") / "static" / "index.html"
    if not built.is_file():
        raise PellucidError(
            "This installation has no explorer: it is built from web/ when Pellucid is installed."
        )
    return built.read_text(encoding="utf-8")


def policy(page: str) -> str:
    """What a document lets the browser do for it: its content security policy."""
    found = POLICY.search(page[:HEAD])
    if found is None:
        raise PellucidError("The page of this installation has no policy: install again.")
    return found[1]


def is_document(path: Path) -> bool:
    """Whether a file is a page of ours."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK in file.read(HEAD)
