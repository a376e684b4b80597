"""Lines between two columns begin and end where they should, as wide as they should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from pellucid.views.terminal.links import WIDEST, Link, draw_links, sample
from pellucid.views.terminal.page import Page

HEIGHT = 6
RED, BLUE = Style(color="red"), Style(color="blue")
LINKS = st.builds(
    Link, st.integers(0, HEIGHT - 1), st.integers(0, HEIGHT - 1), st.integers(1, WIDEST),
    st.sampled_from([RED, BLUE]), st.booleans(),
)  # fmt: skip


def plain(links, width=10, *, encoding="utf-8"):
    return [line.plain for line in draw_links(links, width, HEIGHT, Page(encoding=encoding))]


def dots(line):
    return sum((ord(character) - 0x2800).bit_count() for character in line if character != " ")


@given(st.lists(LINKS), st.integers(1, 30), st.sampled_from(["utf-8", "ascii"]))
def test_lines_stay_in_their_space(links, width, encoding):
    lines = plain(links, width, encoding=encoding)
    assert [len(line) for line in lines] == [width] * HEIGHT
    if encoding == "ascii":
        assert "".join(lines).isascii()


@given(LINKS)
def test_a_line_begins_and_ends_in_its_rows(link):
    lines = plain([link], 12)
    assert lines[link.start][0] != " "
    unbroken = plain([Link(link.start, link.end, link.dots)], 12)
    assert unbroken[link.end][-1] != " "


@pytest.mark.parametrize("wide", range(1, WIDEST + 1))
def test_a_level_line_is_as_many_dots_wide(wide):
    lines = plain([Link(2, 2, wide)])
    assert dots(lines[2]) == wide * 20
    assert [line.strip() for row, line in enumerate(lines) if row != 2] == [""] * (HEIGHT - 1)


def test_a_broken_line_has_gaps():
    (whole,), (broken,) = (
        [line for line in plain([Link(0, 0, 2, broken=broken)]) if line.strip()]
        for broken in (False, True)
    )
    assert 0.5 < dots(broken) / dots(whole) < 0.8
    text = "".join(plain([Link(0, 0, 1, broken=True)], encoding="ascii"))
    assert text.startswith(".. ..")


def test_later_lines_lie_above():
    crossing = [Link(0, 0, 1, RED), Link(0, 0, 1, BLUE)]
    (line, *_) = draw_links(crossing, 4, HEIGHT, Page())
    assert {span.style for span in line.spans} == {BLUE}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_each_width_has_a_sample_of_its_own(encoding):
    samples = {sample(wide, Page(encoding=encoding)) for wide in range(1, WIDEST + 1)}
    assert len(samples) == WIDEST
    assert {len(text) for text in samples} == {3}


def test_without_braille_a_slope_shows_where_it_changes_rows():
    lines = plain([Link(0, 2, 1)], 5, encoding="ascii")
    assert [line.rstrip() for line in lines[:3]] == [".\\", "  \\", "   .."]
    assert plain([Link(2, 0, 1)], 5, encoding="ascii")[0] == "   .."
