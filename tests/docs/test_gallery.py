"""docs/gallery.md: everything there is to look at, light and dark, as it is drawn today."""

import re
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from math import isclose
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from pellucid.views.catalogue.views import VIEWS
from pellucid.views.diagram import Diagram
from pellucid.views.diagram.reading import DEPTHS
from pellucid.views.figures.theme import DARK, LIGHT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"#[0-9a-f]{6}\b|(?<![\w#.])-?\d+(?:\.\d+)?")


def script():
    """scripts/make-gallery, whose name is not that of a module."""
    loader = SourceFileLoader("make_gallery", str(ROOT / "scripts" / "make-gallery"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


gallery = script()
PICTURES = {each.name: each for each in gallery.pictures()}
DRAWN = [
    each.name
    for each in PICTURES.values()
    if each.ending == "svg" and each.name not in gallery.CLOCKED
]
"""Those that need neither a browser nor a clock, and take no time."""


def test_it_has_every_view_and_every_depth_once_with_what_it_says():
    assert re.findall(r"^`figures\.(\w+)\(", PAGE, flags=re.MULTILINE) == list(VIEWS)
    for view in VIEWS.values():
        assert PAGE.count(f"\n## {view.title}\n\n{view.says}\n") == 1
    assert re.findall(r'^`diagram\(.*depth="(\w+)"', PAGE, flags=re.MULTILINE) == list(DEPTHS)


def test_it_is_the_page_that_make_gallery_writes():
    assert gallery.page(list(PICTURES.values())) == PAGE


def test_every_picture_is_there_in_light_and_dark_and_no_other():
    linked = set(re.findall(r"images/gallery/[^\"]+", PAGE))
    folder = ROOT / "docs" / "images" / "gallery"
    assert linked == {f"images/gallery/{path.name}" for path in folder.iterdir()}
    assert linked == {
        each.file(theme).as_posix() for each in PICTURES.values() for theme in ("light", "dark")
    }


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_its_paper_is_light_in_the_one_and_dark_in_the_other(picture):
    light, dark = (ROOT / "docs" / picture.file(theme) for theme in ("light", "dark"))
    if picture.ending == "png":
        assert [corner(light), corner(dark)] == [LIGHT.paper, DARK.paper]
    else:
        assert DARK.paper in dark.read_text(encoding="utf-8")
        assert DARK.paper not in light.read_text(encoding="utf-8")


def test_pictures_of_the_explorer_are_small():
    folder = ROOT / "docs" / "images" / "gallery"
    sizes = {path.name: path.stat().st_size for path in folder.glob("explorer_*.png")}
    assert sizes
    assert max(sizes.values()) <= gallery.LARGEST, sizes


def corner(path):
    """The colour of a picture's first pixel."""
    with Image.open(path) as image:
        return "#" + image.convert("RGB").crop((0, 0, 1, 1)).tobytes().hex()


@pytest.mark.parametrize("name", ["pattern", "probabilities", "diagram_overview"])
def test_a_few_are_what_is_drawn_today(name):
    assert_up_to_date(PICTURES[name], "light")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", DRAWN)
def test_each_is_what_is_drawn_today(name, theme):
    assert_up_to_date(PICTURES[name], theme)


def assert_up_to_date(picture, theme):
    """The file has the words and the lines that are drawn today.

    Its numbers are the same to one unit of their last digit, where machines may round apart; what
    was trained on another machine may be further away.
    """
    stored = (ROOT / "docs" / picture.file(theme)).read_text(encoding="utf-8")
    fresh = picture.draw(theme)
    assert NUMBER.split(fresh) == NUMBER.split(stored), "run make gallery"
    if not re.search(r"\b(deep|larger|run|patched)\b", picture.code):
        for ours, theirs in zip(NUMBER.findall(fresh), NUMBER.findall(stored), strict=True):
            assert close(ours, theirs), "run make gallery"


def close(ours, theirs):
    """Whether two numbers, or two colours, differ by no more than one in the last place."""
    if ours == theirs:
        return True
    if ours.startswith("#") or theirs.startswith("#"):
        pairs = zip(bytes.fromhex(ours[1:]), bytes.fromhex(theirs[1:]), strict=True)
        return all(abs(one - other) <= 1 for one, other in pairs)
    decimals = max(len(each.partition(".")[2]) for each in (ours, theirs))
    return decimals > 0 and isclose(float(ours), float(theirs), abs_tol=1.01 * 10.0**-decimals)


@pytest.mark.parametrize("name", DRAWN)
def test_each_line_of_python_draws_what_it_says(name):
    made = eval(PICTURES[name].code, gallery.names())
    assert isinstance(made, Diagram if name.startswith("diagram") else Figure)


def test_fonts_and_names_of_this_machine_are_not_in_it():
    here = """
      <text style="font-family: 'DejaVu Sans', 'Noto Sans', sans-serif; x" x="1.239">0.123</text>
      <path id="p0123456789"/><use href="#p0123456789"/>
    """
    everywhere = """
<text style="font-family: 'DejaVu Sans', Verdana, sans-serif; x" x="1.23">0.123</text>
<path id="p0"/><use href="#p0"/>
"""
    assert gallery.plain(here) == everywhere


def test_without_a_browser_pages_stay_as_they_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gallery, "BROWSERS", ())
    (kept := tmp_path / "tensor-light.png").write_bytes(b"as it was")
    gallery.write(kept, PICTURES["tensor"].draw("light"))
    assert kept.read_bytes() == b"as it was"
    assert "There is no browser to draw tensor-light.png with" in capsys.readouterr().err


def test_the_sheet_leads_to_every_heading():
    headings = re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings]
    assert re.findall(r'href="#([^"]+)"', PAGE) == anchors[: len(PICTURES)]
    assert anchors[len(PICTURES) :] == ["how-they-are-made"]
