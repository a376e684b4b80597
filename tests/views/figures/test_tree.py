"""A tree as a picture: each number below the one that it was made for."""

import pytest

from pellucid.views.figures.measure import figure_of
from pellucid.views.figures.tree import tree_extent
from pellucid.views.tree import Branch, Tree
from tests.views.figures.looks import assert_nothing_overlaps
from tests.views.figures.sheets import HOSTILE, course, drawn, styled, texts

TREE = Tree(
    "What it was made of",
    Branch(
        "scores[am, i]",
        0.5616,
        "q · k / √8",
        (
            Branch("q[am, 3]", -0.9473, "x · w + b", (Branch("x[am]", 12.5, ""),)),
            Branch("k[i, 3]", -0.4355, "x · w + b"),
        ),
        more="12 more operands",
    ),
    note="To a depth of 2.",
)


def places(axes):
    return {text.get_text(): text.get_position() for text in axes.texts}


def test_every_branch_has_a_line_with_its_number_name_and_formula():
    axes = drawn(TREE, 300.0, 100.0)
    found = places(axes)
    lines = [
        ("0.5616", "scores[am, i]"),
        ("−0.9473", "q[am, 3]"),
        ("12.5", "x[am]"),
        ("−0.4355", "k[i, 3]"),
    ]
    tops = [found[name][1] for _, name in lines]
    assert tops == sorted(tops)
    for number, name in lines:
        assert found[number][1] == found[name][1]
    assert found["12 more operands"][1] > tops[-1]
    assert "q · k / √8" in found


def test_depth_is_shown_by_how_far_in_a_name_stands():
    found = places(drawn(TREE, 300.0, 100.0))
    root, child, grandchild = (found[name][0] for name in ("scores[am, i]", "q[am, 3]", "x[am]"))
    assert child - root == pytest.approx(grandchild - child)
    assert child > root
    assert found["k[i, 3]"][0] == found["12 more operands"][0] == child


def test_a_line_joins_each_branch_to_the_one_above_it():
    axes = drawn(TREE, 300.0, 100.0)
    found = places(axes)
    lines = [course(line) for line in axes.lines]
    assert len(lines) == 4
    for line in lines:
        (left, top), _, (right, bottom) = line
        assert left < right
        assert top < bottom
    names = ("q[am, 3]", "x[am]", "k[i, 3]", "12 more operands")
    assert [line[2, 1] for line in lines] == pytest.approx([found[name][1] for name in names])


def test_long_lines_are_cut_to_the_room():
    branches = tuple(Branch(text, 1.0, text) for text in HOSTILE)
    tree = Tree(None, Branch("root", 1.0, "", branches))
    with styled():
        extent = tree_extent(tree, 240.0)
    assert extent.width <= 240.0
    axes = drawn(tree, extent.width, extent.height)
    assert_nothing_overlaps(figure_of(axes))
    right = axes.bbox.x1 + 1
    assert all(text.get_window_extent().x1 <= right for text in axes.texts)


def test_title_and_note_stand_around_it():
    axes = drawn(TREE, 300.0, 100.0)
    assert axes.get_title(loc="left") == "What it was made of"
    assert texts(axes)[-1] == "To a depth of 2."
