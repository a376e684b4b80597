"""Bars on a terminal are as long as their numbers say."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pellucid.views.scene import Bars
from pellucid.views.terminal.bars import draw_bars
from pellucid.views.terminal.page import Page

EIGHTHS = {character: eighth for eighth, character in enumerate("▏▎▍▌▋▊▉█", start=1)}


def plain(bars, width=80, **page):
    return [line.plain.rstrip() for line in draw_bars(bars, Page(width=width, **page))]


def length(line):
    """The length of the bar of one line, in columns."""
    return sum(EIGHTHS.get(character, 0) for character in line) / 8


@given(st.lists(st.just(0.0) | st.floats(1e-9, 1e6), min_size=1, max_size=12), st.integers(40, 200))
def test_lengths_are_in_proportion(numbers, width):
    lines = plain(Bars(None, tuple(("x", number) for number in numbers)), width)
    lengths = [length(line) for line in lines]
    longest = max(lengths)
    for number, drawn in zip(numbers, lengths, strict=True):
        exact = number / max(numbers) * longest if max(numbers) else 0
        # Half an eighth of rounding, and a sliver where there is anything at all.
        assert abs(drawn - exact) <= (1 / 8 if number else 0)
        assert (drawn > 0) == (number > 0)


@given(
    st.lists(st.tuples(st.text(), st.floats()), max_size=12).map(tuple),
    st.integers(40, 200),
    st.sampled_from(["", "%", "nats"]),
    st.booleans(),
)
@example(items=(("a long label", -9.995e99),), width=40, unit="nats", shared=True)
def test_no_line_is_wider_than_the_page(items, width, unit, shared):
    shares = (0.5,) * len(items) if shared else ()
    for line in draw_bars(Bars("Title", items, unit=unit, shares=shares), Page(width=width)):
        assert line.cell_len <= width


def test_the_limit_is_a_full_bar():
    half, full = plain(Bars(None, (("a", 0.5), ("b", 1.0)), limit=1.0))
    assert (length(half), length(full)) == (20, 40)
    (half,) = plain(Bars(None, (("a", 0.5),), limit=1.0))
    assert length(half) == 20


def test_negative_numbers_hang_to_the_left_of_an_axis():
    lines = plain(Bars("Parts", (("embedding", 2.0), ("head 0", -1.0), ("bias", -0.001))))
    axis = lines[1].index("│")
    assert [line.index("│") for line in lines[1:]] == [axis] * 3
    assert lines[1][axis + 1 :] == "█" * 19
    assert lines[2][:axis].endswith(" ▐" + "█" * 9)
    assert lines[3][:axis].endswith(" ▕")


def test_labels_numbers_and_units_line_up():
    lines = plain(Bars("After “i am”", (("日本", 12.5), ("a", 0.25)), unit="%"))
    assert lines[0] == "After “i am”"
    assert lines[1].startswith("  日本  12.50%  █")
    assert lines[2].startswith("  a      0.25%  ▊")
    (line,) = plain(Bars(None, (("loss", 0.75),), unit="nats"))
    assert line.startswith("  loss  0.75 nats  █")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_has_no_bar(number):
    lines = plain(Bars(None, (("a", number), ("b", 1.0))))
    assert length(lines[0]) == 0
    assert length(lines[1]) == 40


def test_shares_stand_in_a_column_of_their_own():
    items = (("a", 8.0), ("b", -1.0), ("c", 0.001), ("d", 0.0))
    lines = plain(Bars(None, items, shares=(0.888, 0.111, 0.0001, 0.0)))
    assert [line.split()[2] for line in lines] == ["88.8%", "11.1%", "<0.1%", "0"]
    points = [line.index(".", 10) for line in lines[:2]]
    assert points[0] == points[1]
    assert len({line.index("│") for line in lines}) == 1


def test_there_is_a_share_for_each_bar():
    with pytest.raises(ValueError, match="1 shares for 2 bars"):
        Bars(None, (("a", 1.0), ("b", 2.0)), shares=(1.0,))


def test_a_long_label_keeps_its_end_where_there_is_room():
    name = "norm2, d_model 37: (−0.003614) × (−2.274)"
    (line,) = plain(Bars(None, ((name, -0.0082),), shares=(0.032,)), width=80)
    assert line.startswith(f"  {name}  ")
    (line,) = plain(Bars(None, ((name, -0.0082),), shares=(0.032,)), width=50)
    assert line.startswith("  norm2, d_model 37: (−…  ")


def test_all_bars_are_drawn_where_that_is_asked_for():
    lines = plain(Bars(None, tuple((f"n{n}", n) for n in range(50)), whole=True), lines=10)
    assert [line.split()[0] for line in lines] == [f"n{n}" for n in range(50)]


def test_more_bars_than_the_page_has_lines_are_left_out_with_words():
    lines = plain(Bars(None, tuple((f"n{n}", n) for n in range(50))), lines=10)
    assert lines[-1] == "  Shown: 9 of 50 bars (0–6, 48–49)."


def test_without_unicode_a_bar_is_made_of_hashes():
    lines = plain(Bars(None, (("a", 1.0), ("b", 0.5), ("c", 0.001))), encoding="ascii")
    assert [line.count("#") for line in lines] == [40, 20, 1]
