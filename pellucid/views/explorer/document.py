"""The page with its data in it: one HTML file that needs nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from pellucid.errors import PellucidError

PLACE = re.compile(r'(<script type="application/json" id="pellucid-page">)\s*null\s*(</script>)')
"""Where the page that `web/` builds has room for its data."""


def document(data: Mapping[str, Any]) -> str:
    """A whole HTML document.

    Raises:
        PellucidError: this installation has no built page.
    """
    # A "<" in a string would let a text end the script that it stands in.
    written = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    page, places = PLACE.subn(lambda place: place[1] + written + place[2], template())
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
