"""A flow on a terminal joins tokens by lines, and says in numbers who takes most from whom."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pellucid.views.scene import Axis, Flow
from pellucid.views.terminal.flow import MOST_TOKENS, draw_flow
from pellucid.views.terminal.page import Page
from tests.small_models import small_model

LABELS = st.text(st.characters(exclude_categories=()), max_size=20)


@st.composite
def flows(draw):
    shapes = array_shapes(min_dims=2, max_dims=2, max_side=30)
    weights = draw(
        arrays(np.float32, shapes, elements=st.floats(-2, 2, width=32) | st.just(np.nan))
    )
    targets, sources = (
        Axis(dim, draw(st.none() | st.lists(LABELS, min_size=size, max_size=size).map(tuple)))
        for dim, size in zip(("query", "key"), weights.shape, strict=True)
    )
    return Flow("A title", weights, targets, sources, name="a.name", note="A note.")


def pattern(ids):
    tensor = small_model().trace(ids=ids)["blocks.0.attn.pattern"]
    tokens = tensor.labels["query"]
    return Flow("T", tensor.values[0], Axis("query", tokens), Axis("key", tokens), tensor.name)


def of(weights, names=None):
    return Flow("T", np.array(weights), Axis("query", names), Axis("key", names))


def plain(flow, **page):
    return [line.plain.rstrip() for line in draw_flow(flow, Page(**page))]


@given(flows(), st.integers(40, 200), st.sampled_from(["utf-8", "ascii"]))
def test_no_line_is_wider_than_the_page(flow, width, encoding):
    for line in draw_flow(flow, Page(width=width, encoding=encoding)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


@pytest.mark.parametrize("width", [60, 80, 160])
def test_each_target_names_the_sources_that_it_takes_most_from(width):
    flow = pattern([1, 4, 2, 5])
    said = {}
    for line in plain(flow, width=width):
        if found := re.search(r"(\S+)((?:\s+[\d.]+% \S+)+)$", line):
            said[found[1]] = re.findall(r"([\d.]+)% (\S+)", found[2])
    assert list(said) == list(flow.targets.labels or ())
    for (target, parts), row in zip(said.items(), flow.weights, strict=True):
        order = np.argsort(-row)
        assert parts, target
        for (share, source), index in zip(parts, order, strict=False):
            assert source == (flow.sources.labels or ())[index]
            assert share == f"{100 * row[index]:.1f}"


def test_a_line_is_drawn_from_each_source_that_matters_and_no_other():
    lines = plain(of([[1, 0, 0], [0.96, 0.04, 0], [0, 0, 1]], ("a", "b", "c")))
    rows = {line[2]: line[4:20].strip() for line in lines if line.startswith(("  a", "  b", "  c"))}
    assert rows["a"]
    assert rows["c"]
    # b gives 4 percent to itself, too little for a line; what arrives at b comes from above.
    assert not rows["b"]


def test_what_is_too_faint_to_draw_is_still_said():
    lines = plain(of([[1, 0], [0.96, 0.04]], ("a", "b")))
    assert any(line.endswith("96.0% a    4.0% b") for line in lines)
    assert lines[-1].endswith("not drawn below 5.0%.")


def test_a_larger_weight_has_a_wider_line():
    def dots(weight):
        line = plain(of([[weight]]))[2]
        return sum((ord(c) - 0x2800).bit_count() for c in line if "\u2800" <= c <= "\u28ff")

    widths = [dots(weight) for weight in (0.25, 0.5, 0.75, 1.0)]
    assert widths == [widths[0] * times for times in (1, 2, 3, 4)]


def test_of_a_long_flow_the_end_is_drawn_and_the_rest_is_one_source():
    flow = pattern([1, 4, 2, 5, 3, 4])
    weights = np.zeros((40, 40))
    weights[:, :6] = flow.weights[-1]
    lines = plain(of(weights), lines=20)
    assert sum("100.0% 29 before" in line for line in lines) == MOST_TOKENS
    assert "Drawn: the last 12 of 40 tokens." in " ".join(lines)


def test_what_is_not_finite_is_not_drawn_and_said():
    assert "  Not drawn: 1 of 4 weights, not finite." in plain(of([[1, 0], [np.nan, 1]]))


def test_a_single_token_flows_to_itself():
    assert plain(of([[1.0]], ("a",)))[2].split()[-2:] == ["100.0%", "a"]


def test_without_unicode_lines_are_plain_characters():
    lines = plain(pattern([1, 4, 2, 5]), encoding="ascii")
    assert "\n".join(lines).isascii()
    assert any("####" in line for line in lines)
