"""A page of its own: whole, in order, with a table of contents whose links lead somewhere."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.views.html.page import SHEET, page, write_page
from pellucid.views.matrix import Axis, Matrix
from pellucid.views.scene import Heading, Prose, Row, Scene
from tests.views.html.parsed import by_class, cells, parsed, words
from tests.views.html.test_element import HOSTILE

TABLE = Matrix("Head", np.eye(2), Axis("a"), Axis("b"), name="head.w")
SCENES = (
    Scene("A model", (Prose("Look at [the head](head.w) and [another](embed.out)."),)),
    Scene("Part 1: Data", (Heading("The corpus", 2), TABLE, Heading("Small", 3))),
    Scene("Part 2: Data", (Heading("The corpus", 2), Row((TABLE, TABLE)))),
)


def read(*scenes, **options):
    document = page(scenes, **options)
    assert document.startswith("<!DOCTYPE html>\n<html")
    (html,) = parsed(document.removeprefix("<!DOCTYPE html>\n"))
    return html


def test_scenes_follow_each_other_as_chapters():
    html = read(*SCENES, note="Made by `hand`.")
    headings = [(each.tag, words(each)) for each in html.iter() if each.tag in HEADINGS]
    assert headings == [
        ("h1", "A model"),
        ("h2", "Part 1: Data"),
        ("h3", "The corpus"),
        ("h4", "Small"),
        ("h2", "Part 2: Data"),
        ("h3", "The corpus"),
    ]
    assert [words(each) for each in html.iter("title")] == ["A model"]
    assert words(next(html.iter("footer"))) == "Made by hand."
    assert not list(read(*SCENES).iter("footer"))


HEADINGS = {f"h{level}" for level in range(1, 7)}


def test_the_contents_lead_to_each_heading_in_order():
    html = read(*SCENES)
    links = [(each.get("href", "")[1:], words(each)) for each in next(html.iter("nav")).iter("a")]
    listed = [(each.get("id"), words(each)) for each in html.iter() if each.tag in HEADINGS]
    assert links == [(id, text) for id, text in listed if text != "Small"]


def test_a_link_leads_to_the_first_place_where_a_tensor_is_shown():
    html = read(*SCENES)
    prose = next(each for each in html.iter("p") if "Look at" in words(each))
    assert [(each.get("href"), words(each)) for each in prose] == [("#tensor-head.w", "the head")]
    ids = [each.get("id") for each in html.iter() if each.get("id")]
    assert ids.count("tensor-head.w") == 1
    assert ids.index("tensor-head.w") < ids.index("3-part-2-data")


def test_one_scene_alone_is_a_page():
    html = read(SCENES[1])
    assert [words(each) for each in html.iter("h1")] == ["Part 1: Data"]
    assert [words(each) for each in html.iter("h2")] == ["The corpus"]
    assert not list(html.iter("section"))


def test_the_page_forbids_itself_to_run_or_to_fetch_anything():
    (policy,) = [each for each in read(*SCENES).iter("meta") if each.get("http-equiv")]
    assert policy.get("content", "").startswith("default-src 'none'; ")
    assert "script" not in policy.get("content", "")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_from_outside_is_text_in_titles_contents_and_notes(hostile):
    html = read(Scene(hostile, (Heading(hostile, 2),)), Scene(hostile), note="x")
    assert [words(each) for each in html.iter("a")] == [hostile] * 3
    assert [words(each) for each in html.iter("title")] == [hostile]


def test_a_wide_matrix_goes_on_below():
    # Six characters and the room around them: twelve columns to a table.
    values = np.arange(48.0).reshape(2, 24) + 1000.5
    wide = Matrix("W", values, Axis("a"), Axis("b"))
    tables = by_class(read(Scene("S", (wide,))), "matrix")
    heads = [cells(table)[0][1:] for table in tables]
    assert SHEET.across is not None
    assert all(len(head) * (len("1000.5") + 2) <= SHEET.across for head in heads)
    assert heads == [[str(n) for n in range(first, first + 12)] for first in (0, 12)]
    for row in (0, 1):
        shown = [float(n) for table in tables for n in cells(table)[row + 1][1:]]
        assert shown == values[row].tolist()


def test_long_labels_make_shorter_tables():
    axis = Axis("b", tuple(f"{n} {'x' * 40}" for n in range(5)))
    wide = Matrix("W", np.ones((1, 5)), Axis("a"), axis)
    tables = by_class(read(Scene("S", (wide,))), "matrix")
    assert [len(cells(table)[0]) - 1 for table in tables] == [2, 3]


def test_a_page_is_written_or_the_error_says_why(tmp_path):
    path = write_page(SCENES, tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == page(SCENES)
    with pytest.raises(PellucidError, match="cannot be written"):
        write_page(SCENES, tmp_path / "nowhere" / "page.html")
