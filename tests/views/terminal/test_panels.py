"""A grid of matrices on a terminal: a shade for each cell, all to one scale."""

import re
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pellucid.views.catalogue.layers import heads
from pellucid.views.scene import Axis, Panels
from pellucid.views.terminal.page import Page
from pellucid.views.terminal.panels import draw_panels
from tests.small_models import small_model

SHAPES = array_shapes(min_dims=4, max_dims=4, max_side=14)


def of(values, kind="signed"):
    return Panels(
        "T",
        tuple(np.asarray(values)),
        Axis("block"),
        Axis("head"),
        Axis("query"),
        Axis("key"),
        kind,
    )


def plain(panels, **page):
    return [line.plain.rstrip() for line in draw_panels(panels, Page(**page))]


@given(
    arrays(np.float32, SHAPES),
    st.sampled_from(["signed", "probability"]),
    st.integers(40, 200),
    st.sampled_from(["utf-8", "ascii"]),
)
def test_no_line_is_wider_than_the_page(values, kind, width, encoding):
    for line in draw_panels(of(values, kind), Page(width=width, encoding=encoding, lines=30)):
        assert line.cell_len <= width


def test_every_cell_has_the_shade_of_its_number():
    panels: Any = heads(small_model().trace(ids=[1, 4, 2, 5]))[0]
    lines = plain(panels, width=80)
    rows = [lines[start : start + 4] for start in (2, 7)]
    for row, array in zip(rows, panels.values, strict=True):
        for head, matrix in enumerate(array):
            for line, numbers in zip(row, matrix, strict=True):
                left = 11 + head * 10
                drawn = line.ljust(80)[left : left + 8 : 2]
                shades = [" " if not n else "·░▒▓█"[min(int(n * 5), 4)] for n in numbers]
                assert drawn == "".join(shades)


def test_rows_and_columns_are_named():
    (panels,) = heads(small_model().trace(ids=[1, 4, 2]))
    lines = plain(panels)
    assert lines[1].split("  ")[-1].strip() == "head 3"
    assert [line[:9].strip() for line in lines if line.startswith("  block")] == [
        "block 0",
        "block 1",
    ]


def test_what_does_not_fit_is_left_out_with_words():
    lines = plain(of(np.ones((30, 12, 20, 20))), width=80)
    assert len(lines) < 70
    text = " ".join(" ".join(lines).split())
    assert re.search(r"Shown: \d+ of 30 blocks \(0–\d+, \d+–29\)\.", text)
    assert re.search(r"Shown: \d+ of 12 heads \(0–\d+, \d+–11\)\.", text)
    assert "Each cell stands for up to 4 × 4 numbers" in text


def test_matrices_keep_their_shape_where_there_is_room():
    lines = plain(of(np.ones((1, 2, 3, 3))), width=80)
    assert [line[10:].split() for line in lines[2:5]] == [["██████", "██████"]] * 3


def test_what_is_not_a_number_is_seen():
    lines = plain(of([[[[np.nan, 1.0], [np.inf, -np.inf]]]]))
    assert lines[2].endswith("??██")
    assert lines[3].endswith("!!")
    assert "? is NaN." in " ".join(lines)


def test_without_unicode_shades_are_plain_characters():
    assert "\n".join(plain(of(np.ones((1, 1, 2, 2))), encoding="ascii")).isascii()


def test_colours_tell_signs_apart():
    drawn = draw_panels(of([[[[1.0, -1.0]]]]), Page(colours=256))
    assert len({str(span.style) for span in drawn[2].spans}) == 2
