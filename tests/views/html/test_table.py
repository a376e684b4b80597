"""Tables and bars as HTML: what they hold, in columns that can be compared."""

import math
import re

import pytest

from pellucid.views.html.bars import draw_bars
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.table import draw_table, padded
from pellucid.views.scene import Bars, Table
from tests.views.html.parsed import by_class, cells, parsed, words
from tests.views.html.test_element import HOSTILE


def drawn(table, **sheet):
    return parsed(draw_table(table, Sheet(**sheet)))


def test_every_cell_stands_under_its_column():
    table = Table("T", ("token", "id", "logit"), (("a", 1234, 2.5), ("b", None, -0.125)))
    root = drawn(table)
    assert [[cell.strip() for cell in row] for row in cells(root)] == [
        ["token", "id", "logit"],
        ["a", "1,234", "2.500"],
        ["b", "", "-0.125"],
    ]
    assert words(next(root.iter("figcaption"))) == "T"
    sides = [each.get("class") for each in root.iter("th")]
    assert sides == [None, "number", "number"]


def test_points_stand_in_one_column():
    figure, point = "\u2007", "\u2008"
    assert padded(["1.25", "−∞", "10", "0.5"]) == [
        "1.25",
        f"−∞{point}{figure * 2}",
        f"10{point}{figure * 2}",
        f"0.5{figure}",
    ]


def test_a_long_table_shows_its_ends_and_says_so():
    root = drawn(Table(None, ("n",), tuple((n,) for n in range(100)), note="All."), rows=8)
    assert [row[0] for row in cells(root)] == ["n", "0", "1", "2", "3", "4", "⋮", "98", "99"]
    notes = [words(note) for note in by_class(root, "note")]
    assert notes == ["Shown: 7 of 100 rows (0–4, 98–99).", "All."]


@pytest.mark.parametrize("hostile", [*HOSTILE, "a\nb\x00"])
def test_words_in_a_table_are_text(hostile):
    root = drawn(Table(hostile, (hostile,), ((hostile,),)))
    if hostile in HOSTILE:
        assert cells(root) == [[hostile], [hostile]]
    assert all(line.isprintable() for row in cells(root) for line in row)


def bars_of(bars, **sheet):
    root = parsed(draw_bars(bars, Sheet(**sheet)))
    spans = []
    for each in root.iter("i"):
        left, width = map(float, re.findall(r"([\d.]+)%", each.get("style", "")))
        spans.append((each.get("class"), left, left + width))
    return root, spans


def test_bars_are_as_long_as_their_numbers():
    root, spans = bars_of(Bars("B", (("a", 4.0), ("b", 1.0), ("c", 0.0)), unit="%"))
    assert spans == [("positive", 0, 100), ("positive", 0, 25)]
    assert [row[:2] for row in cells(root)] == [["a", "4%"], ["b", "1%"], ["c", "0%"]]


def test_a_limit_is_a_full_bar():
    _, spans = bars_of(Bars("B", (("a", 0.5), ("b", 3.0)), limit=1.0))
    assert spans == [("positive", 0, 50), ("positive", 0, 100)]


def test_negative_bars_hang_left_of_an_axis():
    _, spans = bars_of(Bars("B", (("a", 2.0), ("b", -1.0), ("n", math.nan), ("i", math.inf))))
    assert spans == [("positive", 50, 100), ("negative", 25, 50)]


def test_shares_stand_beside_the_numbers():
    root, _ = bars_of(Bars(None, (("a", 3.0), ("b", -1.0)), shares=(0.75, 0.25)))
    assert [[cell.strip() for cell in row][:3] for row in cells(root)] == [
        ["a", "3", "75.0%"],
        ["b", "-1", "25.0%"],
    ]


def test_a_long_list_of_bars_shows_its_ends_unless_the_whole_is_asked_for():
    items = tuple((str(n), float(n)) for n in range(50))
    root, spans = bars_of(Bars(None, items), rows=8)
    assert (len(spans), words(by_class(root, "note")[0])) == (
        6,
        "Shown: 7 of 50 bars (0–4, 48–49).",
    )
    assert len(bars_of(Bars(None, items, whole=True), rows=8)[1]) == 49
