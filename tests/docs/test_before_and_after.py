"""docs/before-and-after.md: what it types is there, and what it prints is what comes of it."""

from tests.docs.replay import ROOT, replay

PAGE = (ROOT / "docs" / "before-and-after.md").read_text(encoding="utf-8")


def test_what_is_printed_is_what_comes_of_it(tmp_path):
    assert replay(PAGE, tmp_path) == PAGE
