"""Every block has a picture, which looks as it was seen to look."""

from typing import get_args

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from pellucid.errors import PellucidError
from pellucid.views.figures.draw import draw, draw_figure, extent
from pellucid.views.figures.theme import DARK, LIGHT
from pellucid.views.matrix import Axis, Matrix
from pellucid.views.scene import (
    Bars,
    Block,
    Curve,
    Equation,
    Heading,
    Level,
    Listing,
    Prose,
    Row,
    Scene,
    Series,
    Table,
)
from pellucid.views.tree import Branch, Tree
from tests.traces import trace_of
from tests.views.figures.looks import assert_looks_like, numbers_of, pixels
from tests.views.figures.sheets import sheet, styled, texts

TRACE = trace_of("baby-groot")
PATTERN = Matrix.of(TRACE["blocks.0.attn.pattern"], head=0)
TREE = Tree(
    "What it was made of",
    Branch("scores[am, i]", 0.56, "q · k / √8", (Branch("q[am, 3]", -0.95, "x · w + b"),), "more"),
)


def not_finite():
    values = np.linspace(-2, 2, 24).reshape(4, 6)
    values[0, 1], values[1, 2], values[2, 3], values[3, 0] = np.nan, np.inf, -np.inf, 0.0
    return Matrix("What is not finite", values, Axis("position"), Axis("d_head"))


def future():
    weights = np.exp(np.random.default_rng(0).normal(size=(40, 40)) * 2)
    weights[np.triu_indices(40, 1)] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    tokens = tuple(f"tok{place}" for place in range(40))
    return Matrix("A", weights, Axis("query", tokens), Axis("key", tokens), kind="probability")


SEEN = {
    "pattern": PATTERN,
    "not_finite": not_finite(),
    "future": future(),
    "ids": Matrix(
        "Ids", np.arange(90).reshape(3, 30) * 37, Axis("window"), Axis("position"), kind="ids"
    ),
    "curve": Curve(
        "Loss",
        (
            Series("training", 3 / np.arange(1.0, 60.0)),
            Series("validation", 2 + np.cos(np.arange(6.0)), np.arange(0.0, 60.0, 10.0)),
        ),
        "step",
        "nats per token",
        (Level("floor", 0.5), Level("bigram", 1.2)),
        note="The mean of 4 steps to a point.",
    ),
    "bars": Bars(
        "Likeliest", (("groot", 2.5), ("$tree$", 0.5), (" i", -1.25)), unit="nats", note="Of 12."
    ),
    "table": Table("Tensors", ("name", "cells"), (("embed.out", 32.5), ("loss", 1.25)), note="N."),
    "tree": TREE,
}
WORDS = (
    Heading("Token and position", 2),
    Prose("The *sum* of **two** rows: `embed.tokens` and [positions](embed.positions)."),
    Equation("H₀ = T[ids] + P[positions]"),
    Listing("embed\n └─ blocks\n     └─ attn", "Tree"),
)
SCENE = Scene("A walk", (*WORDS, Row((PATTERN, Matrix.of(TRACE["embed.out"])))))


@pytest.mark.parametrize("name", SEEN)
def test_a_block_looks_as_it_was_seen_to_look(name):
    assert_looks_like(draw_figure(SEEN[name]), f"block_{name}")


@pytest.mark.parametrize(("theme", "size"), [("light", "paper"), ("dark", "slide")])
def test_a_scene_looks_as_it_was_seen_to_look(theme, size):
    assert_looks_like(draw_figure(SCENE, theme=theme, size=size), f"scene_{theme}_{size}")


def test_a_dark_matrix_looks_as_it_was_seen_to_look():
    assert_looks_like(draw_figure(not_finite(), theme="dark"), "block_not_finite_dark")


@pytest.mark.parametrize("kind", get_args(Block), ids=lambda kind: kind.__name__)
def test_every_block_but_a_row_is_drawn_into_axes(kind):
    known = [*SEEN.values(), *WORDS, Row((PATTERN,))]
    for block in (block for block in known if isinstance(block, kind)):
        with styled():
            axes = sheet(200.0, 100.0)
            if kind is Row:
                with pytest.raises(TypeError, match="a Row is not drawn into axes"):
                    draw(block, axes, LIGHT)
                with pytest.raises(TypeError, match="a Row is not drawn into axes"):
                    extent(block, 200.0)
            else:
                draw(block, axes, LIGHT)
                assert extent(block, 200.0).height > 0


def test_a_scene_is_its_title_and_its_blocks():
    figure = draw_figure(SCENE)
    assert len(figure.axes) == 7
    assert texts(figure.axes[0]) == ["A walk"]
    assert figure.axes[5].get_title(loc="left").startswith("Pattern")
    both = draw_figure([SCENE, SCENE])
    assert len(both.axes) == 14


def test_a_figure_has_the_paper_of_its_theme():
    for theme in (LIGHT, DARK):
        figure = draw_figure(PATTERN, theme=theme)
        assert to_hex(figure.get_facecolor()) == theme.paper
        assert to_hex(figure.axes[0].get_facecolor()) == theme.paper


def test_axes_of_ones_own_take_the_one_picture_and_nothing_else_is_touched():
    own = Figure()
    left, right = own.subplots(1, 2)
    right.plot([1, 2], [3, 4])
    assert draw_figure((Heading("T"), PATTERN, Prose("words")), ax=left, theme="dark") is own
    np.testing.assert_array_equal(numbers_of(left).filled(0.0), PATTERN.values)
    assert to_hex(own.get_facecolor()) == DARK.paper
    assert len(right.lines) == 1
    assert len(own.axes) == 2


def test_what_cannot_be_drawn_is_said():
    own = Figure()
    with pytest.raises(PellucidError, match="2 pictures to draw, and axes hold one"):
        draw_figure(Row((PATTERN, PATTERN)), ax=own.subplots())
    with pytest.raises(PellucidError, match="nothing to draw"):
        draw_figure([])
    with pytest.raises(PellucidError, match="no theme"):
        draw_figure(PATTERN, theme="drak")


@pytest.mark.parametrize("size", ["page", "slide"])
def test_blocks_without_anything_in_them_are_drawn_too(size):
    empty: tuple[Block, ...] = (
        *(Matrix("M", np.ones(shape), Axis("a"), Axis("b")) for shape in ((0, 3), (3, 0))),
        *(Bars("B", ()), Table("T", ("a",), ()), Table("T", (), ()), Row(())),
        *(Curve("C", (), "x", "y"), Curve("C", (Series("a", np.array([])),), "x", "y")),
        *(Heading(""), Prose(""), Equation(""), Listing("")),
    )
    for block in empty:
        pixels(draw_figure([block, Heading("after")], size=size))
    assert "Nothing to draw: 0 × 3 numbers." in texts(draw_figure(empty[0]).axes[0])


@pytest.mark.parametrize("kind", [np.float16, np.int64, np.uint8, np.bool_])
def test_numbers_of_every_type_are_drawn(kind):
    values = np.eye(3).astype(kind)
    axes = draw_figure(Matrix("M", values, Axis("a"), Axis("b"))).axes[0]
    np.testing.assert_array_equal(numbers_of(axes), values)


def test_numbers_at_the_ends_of_their_range_are_drawn():
    ends = np.array([[1e300, -1e300, 5e-324, 0.0]])
    pixels(draw_figure(Matrix("M", ends, Axis("a"), Axis("b"))))
    pixels(draw_figure(Curve("C", (Series("a", ends[0]),), "x", "y")))
    pixels(draw_figure(Bars("B", tuple((str(n), n) for n in ends[0].tolist()))))


@pytest.mark.parametrize("settings", [{}, {"axes.grid": True, "font.family": ["serif"]}])
def test_axes_of_the_users_own_show_words_as_they_are(settings):
    named = Axis("token", ("$$", "$x_1$"))
    with matplotlib.rc_context(settings):
        own = Figure()
        axes = own.subplots(2, 2)[1, 0]
        axes.text(0, 0, r"$\frac{1}{2}$")
        draw_figure(Matrix("$", np.eye(2), named, named), ax=axes)
        pixels(own)
    words = [axes.title, axes.xaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
    assert not any(text.get_parse_math() for text in words)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["$$", "$x_1$"]
    assert axes.texts[0].get_parse_math()
    assert not any(line.get_visible() for line in axes.get_xgridlines())
