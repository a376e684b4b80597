"""Trees on a terminal: a line a branch, the numbers by their points."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.terminal.page import Page
from pellucid.views.terminal.tree import draw_tree
from pellucid.views.tree import Branch, Tree

LEAVES = Branch("b", -12.5, "a parameter"), Branch("c", np.inf, "the future")
ROOT = Branch("a", 1.25, "b + c", (Branch("d", 0.5, "e", LEAVES[:1]), *LEAVES), "… 3 more operands")


def plain(tree, width=80):
    return [line.plain.rstrip() for line in draw_tree(tree, Page(width=width))]


def test_branches_numbers_and_formulas_line_up():
    assert plain(Tree("A tree", ROOT, note="A note.")) == [
        "A tree",
        "    1.25  a        b + c",
        "    0.5   ├─ d     e",
        "  −12.5   │  └─ b  a parameter",
        "  −12.5   ├─ b     a parameter",
        "    ∞     ├─ c     the future",
        "          └─ … 3 more operands",
        "  A note.",
    ]


def test_a_long_formula_is_cut_and_a_name_goes_first():
    long = Branch("blocks.0.resid_mid[groot, d_model=5]", 1.0, "x" * 100)
    (line,) = plain(Tree(None, long), width=60)
    assert len(line) == 60
    assert "blocks.0.resid_mid[groot, d_model=5]  xxx" in line
    assert line.endswith("…")


branches = st.recursive(
    st.builds(Branch, st.text(max_size=30), st.floats(), st.text(max_size=60)),
    lambda below: st.builds(
        Branch,
        st.text(max_size=30),
        st.floats(),
        st.text(max_size=60),
        st.lists(below, max_size=3).map(tuple),
        st.sampled_from(["", "… 3 more operands"]),
    ),
    max_leaves=8,
)


@given(branches, st.integers(40, 200))
def test_no_line_is_wider_than_the_page(root, width):
    for line in draw_tree(Tree("Title", root), Page(width=width)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


def size(branch):
    return 1 + sum(map(size, branch.branches)) + bool(branch.more)


@given(branches)
def test_there_is_a_line_for_each_branch_and_each_remark(root):
    assert len(draw_tree(Tree(None, root), Page())) == size(root)
