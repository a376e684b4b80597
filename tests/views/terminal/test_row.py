"""Drawings stand side by side where the page is wide enough, and below each other elsewhere."""

from rich.text import Text

from pellucid.views.terminal.page import Page
from pellucid.views.terminal.row import flow

LEFT = (Text("aaaa"), Text("a"))
RIGHT = (Text("bb"), Text("日本"), Text("b"))


def plain(drawings, width):
    return [line.plain for line in flow(drawings, Page(width=width))]


def test_side_by_side():
    assert plain([LEFT, RIGHT], 12) == ["aaaa    bb  ", "a       日本", "        b   "]


def test_below_each_other():
    assert plain([LEFT, RIGHT], 11) == ["aaaa", "a   ", "", "bb  ", "日本", "b   "]


def test_as_many_to_a_row_as_fit():
    assert plain([LEFT, LEFT, LEFT], 12) == ["aaaa    aaaa", "a       a   ", "", "aaaa", "a   "]


def test_nothing():
    assert plain([], 80) == []
