"""docs/gallery.md: it shows everything there is, and its pictures are there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.views.catalogue.views import VIEWS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


def test_the_page_is_what_make_gallery_writes():
    check = [sys.executable, str(ROOT / "scripts" / "make-gallery"), "--check"]
    assert subprocess.run(check).returncode == 0, "run make gallery"


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_on_it_with_what_it_says(name):
    assert f"## {VIEWS[name].title}\n\n{VIEWS[name].says}\n" in PAGE
    assert f"`figures.{name}(" in PAGE


def test_every_picture_is_there_and_no_other():
    linked = {Path(path).name for path in re.findall(r"images/gallery/[^\"]+", PAGE)}
    folder = ROOT / "docs" / "images" / "gallery"
    assert linked == {path.name for path in folder.iterdir()}


def test_the_sheet_leads_to_headings():
    headings = {
        re.sub(r"[^a-z0-9\- ]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    }
    assert set(re.findall(r'href="#([^"]+)"', PAGE)) == headings
