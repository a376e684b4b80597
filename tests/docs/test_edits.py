"""docs/edits.md: what it types is there, and what it prints is what comes of it."""

import re

import pellucid
from pellucid.trace.edits import Edit
from pellucid.trace.typed_edit import VERBS
from tests.docs.replay import ROOT, replay

PAGE = (ROOT / "docs" / "edits.md").read_text(encoding="utf-8")


def test_the_table_has_every_edit():
    rows = re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)
    assert rows == list(VERBS)
    assert len(rows) == len(Edit.__args__)
    assert all(callable(getattr(pellucid, verb)) for verb in rows)


def test_what_is_printed_is_what_comes_of_it(tmp_path):
    assert replay(PAGE, tmp_path) == PAGE
