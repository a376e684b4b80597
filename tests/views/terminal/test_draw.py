"""Blocks on a console: every kind is drawn, with room between, in colour only where it shows."""

import io

import numpy as np
import pytest
from rich.console import Console

from pellucid.views.scene import (
    Axis,
    Bars,
    Block,
    Curve,
    Equation,
    Flow,
    Heading,
    Histogram,
    Layer,
    Listing,
    Matrix,
    Network,
    Panels,
    Points,
    Prose,
    Row,
    Scene,
    Series,
    Table,
)
from pellucid.views.terminal.draw import Drawing, draw, draw_all
from pellucid.views.terminal.page import Page

MATRIX = Matrix("M", np.array([[0.5, -0.25]]), Axis("query"), Axis("key", ("[red]", "日本")))
BLOCKS: tuple[Block, ...] = (
    Heading("Part"),
    Prose("Some **words**."),
    Equation("a = b"),
    MATRIX,
    Table("T", ("a",), ((1,),)),
    Bars("B", (("x", 1.0),)),
    Curve("C", (Series("loss", np.array([3.0, 1.0])),), "epoch", "nats"),
    Listing("tree"),
    Flow("F", np.array([[1.0]]), Axis("query"), Axis("key")),
    Network("N", (Layer("in", np.ones(2), Axis("d_model")),), ()),
    Histogram.of("H", {"w": [1.0, 2.0]}),
    Panels("P", (np.ones((1, 2, 2)),), Axis("block"), Axis("head"), Axis("query"), Axis("key")),
    Points("P", ("a", "b"), np.ones((2, 3, 2)), x_label="x", y_label="y"),
    Row((MATRIX, MATRIX)),
)


def printed(thing, *, width=80, environ=None, **options):
    """What a console prints, escape codes and all."""
    file = io.StringIO()
    console = Console(file=file, width=width, _environ=environ or {}, **options)
    console.print(Drawing(thing))
    return file.getvalue()


def test_every_kind_of_block_is_drawn():
    for block in BLOCKS:
        assert any(line.plain.strip() for line in draw(block, Page())), block


def test_a_scene_is_its_title_over_its_blocks():
    scene = Scene("Attention", BLOCKS[1:])
    assert draw(scene, Page()) == draw_all((Heading("Attention"), *BLOCKS[1:]), Page())


def test_an_empty_line_parts_blocks_but_a_low_heading_stays_with_its_own():
    page = Page(width=40)
    lines = [line.plain for line in draw_all((Prose("a"), Heading("h", 3), Prose("b")), page)]
    assert lines == ["a", "", "h", "b"]
    lines = [line.plain for line in draw_all((Heading("h", 2), Prose("b")), page)]
    assert lines == ["h", "─", "", "b"]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_console_prints_what_is_drawn_line_for_line(width):
    expected = [line.plain.rstrip() for line in draw_all(BLOCKS, Page(width=width))]
    assert printed(BLOCKS, width=width).splitlines() == expected


def test_piped_text_has_no_colours_and_no_spaces_at_the_end():
    text = printed(BLOCKS)
    assert "\x1b" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_a_terminal_gets_colours_and_their_legend():
    text = printed([MATRIX], force_terminal=True, color_system="truecolor")
    assert "48;2;0;121;205m" in text.replace("38;2;255;255;255;", "")
    assert "+" in text


def test_a_terminal_of_sixteen_colours_gets_its_own():
    text = printed([MATRIX], force_terminal=True, color_system="standard")
    assert "\x1b[97;44m" in text
    assert "\x1b[30;43m" in text


def test_no_color_is_honoured():
    text = printed(
        [MATRIX], force_terminal=True, color_system="truecolor", environ={"NO_COLOR": "1"}
    )
    assert "48;2" not in text
    assert "38;2" not in text
    assert "+" not in text


def test_a_block_fits_beside_other_things_that_rich_lays_out():
    from rich.table import Table as RichTable

    grid = RichTable.grid(padding=1)
    grid.add_row(Drawing([MATRIX]), Drawing([Prose("Beside it.")]))
    file = io.StringIO()
    Console(file=file, width=100).print(grid)
    assert "Beside it." in file.getvalue()
    assert max(map(len, file.getvalue().splitlines())) <= 100
