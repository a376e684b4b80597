"""A histogram on a terminal is as high as its counts, and leaves no bin out."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pellucid.views.scene import Distribution, Histogram
from pellucid.views.terminal.histogram import draw_histogram
from pellucid.views.terminal.page import Page

EIGHTHS = " ▁▂▃▄▅▆▇█"
NUMBERS = st.dictionaries(
    st.text(st.characters(exclude_categories=()), max_size=40),
    arrays(np.float32, st.integers(0, 40)),
    min_size=1,
    max_size=9,
)


def of(counts, name="w"):
    counts = np.array(counts)
    return Histogram("T", np.arange(len(counts) + 1.0), (Distribution(name, counts),))


def plain(histogram, **page):
    return [line.plain.rstrip() for line in draw_histogram(histogram, Page(**page))]


def heights(lines):
    """How high each column is, in eighths of a row."""
    rows = [match[1] for line in lines if (match := re.search(r"│(.*)│", line))]
    return [sum(EIGHTHS.index(row[column]) for row in rows) for column in range(len(rows[0]))]


@given(NUMBERS, st.integers(40, 200), st.sampled_from(["utf-8", "ascii"]))
def test_no_line_is_wider_than_the_page(numbers, width, encoding):
    histogram = Histogram.of("A title", numbers, note="A note.")
    for line in draw_histogram(histogram, Page(width=width, encoding=encoding)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


def test_columns_are_as_high_as_the_counts():
    assert heights(plain(of([0, 16, 32, 64, 1]), width=80)) == [0, 0, 16, 16, 32, 32, 64, 64, 1, 1]


def test_the_least_count_still_shows():
    assert heights(plain(of([1, 10**6])))[0] == 1


@pytest.mark.parametrize("place", range(60))
def test_where_there_is_no_room_bins_are_put_together_and_none_is_left_out(place):
    drawn = heights(plain(of(np.arange(60) == place), width=40))
    assert len(drawn) < 60
    (column,) = np.flatnonzero(drawn)
    assert column == place // -(-60 // len(drawn))


def test_the_axis_says_where_the_numbers_are():
    histogram = Histogram.of("T", {"w": np.linspace(-1, 1, 41)}, x_label="weight", bins=20)
    *_, rule, ticks, _ = plain(histogram)
    columns = [match.end() - 1 for match in re.finditer("┬", rule)]
    texts = re.findall(r"-?[\d.]+", ticks)
    assert len(columns) == len(texts)
    assert ticks.endswith("weight")
    left = rule.index("└") + 1
    for column, text in zip(columns, texts, strict=True):
        assert (column - left + 0.5) / 40 * 2 - 1 == pytest.approx(float(text), abs=0.051)


def test_how_many_numbers_there_are_is_said_and_how_many_have_no_place():
    lines = plain(Histogram.of("T", {"a": [1, 2, np.nan], "b": np.ones(1500)}))
    assert [line.rpartition("│")[2].strip() for line in lines if "│" in line] == [
        "",
        "3",
        "",
        "1,500",
    ]
    assert "Not drawn: 1 of 1,503 numbers, not finite." in " ".join(" ".join(lines).split())


def test_without_unicode_heights_are_signs_of_growing_weight():
    lines = plain(of([0, 1, 5, 10]), encoding="ascii")
    assert "\n".join(lines).isascii() is False  # The frame is replaced where a line is written out.
    assert not set("".join(re.findall("│(.*)│", "\n".join(lines)))) - set(" .:-=+*#%@")
