"""A matrix on a terminal shows the tensor's own numbers, aligned, within the width."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from rich.cells import cell_len

from pellucid.views.scene import Axis, Matrix
from pellucid.views.terminal.matrix import draw_matrix
from pellucid.views.terminal.page import Page
from tests.small_models import small_model

LABELS = st.text(st.characters(exclude_categories=()), max_size=20)


@st.composite
def matrices(draw):
    values = draw(arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=60)))
    rows, columns = (
        Axis(dim, draw(st.none() | st.lists(LABELS, min_size=size, max_size=size).map(tuple)))
        for dim, size in zip(("query", "key"), values.shape, strict=True)
    )
    kind = draw(st.sampled_from(["signed", "probability", "weight", "plain"]))
    return Matrix("A title", values, rows, columns, name="a.name", kind=kind, note="A note.")


def plain(matrix, **page):
    return [line.plain.rstrip() for line in draw_matrix(matrix, Page(**page))]


def of(values, *, rows=None, columns=None, **more):
    return Matrix("T", np.array(values), Axis("query", rows), Axis("key", columns), **more)


def shown(lines, values):
    """The numbers of each line that ends in as many as `values` has columns."""
    found = [re.findall(r"(?<!\S)-?[\d.]+(?!\S)", line)[-values.shape[1] :] for line in lines]
    return [[float(text) for text in row] for row in found if len(row) == values.shape[1]]


@given(matrices(), st.integers(40, 200), st.sampled_from([0, 16, 256]))
def test_no_line_is_wider_than_the_page(matrix, width, colours):
    for line in draw_matrix(matrix, Page(width=width, colours=colours)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


def test_every_number_of_a_trace_is_the_tensors_own():
    trace = small_model().trace(ids=[1, 4, 2, 4])
    for name in ("blocks.0.mlp.out", "embed.out", "blocks.1.norm2"):
        values = trace[name].values
        rows = shown(plain(Matrix.of(trace[name]), width=120)[4:], values)
        np.testing.assert_allclose(rows, values, atol=0.5001e-3, err_msg=name)


def test_the_whole_drawing():
    matrix = of(
        [[1, 0], [0.2, 0.8004]],
        rows=("<START>", "i"),
        columns=("<START>", "i"),
        name="blocks.0.attn.pattern",
        equation="pattern = softmax(masked_scores) over key",
        note="Each row sums to 1.",
    )
    assert plain(matrix, width=80) == [
        "T   blocks.0.attn.pattern",
        "  pattern = softmax(masked_scores) over key",
        "           key",
        "  query    <START>      i",
        "  ────────────────────────",
        "  <START>    1.000  0",
        "  i          0.200  0.800",
        "  Each row sums to 1.",
    ]


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=12)),
    st.integers(60, 160),
)
def test_points_stand_under_each_other_in_every_column(noise, width):
    values = np.where(np.isfinite(noise) & (np.abs(noise) < 1e3), noise, 1.0) + 0.125
    groups = "\n".join(plain(of(values), width=width)).split("─\n")[1:]
    places = [
        {match.start() for line in group.splitlines() for match in re.finditer(r"\.\d", line)}
        for group in groups
    ]
    assert sum(map(len, places)) == values.shape[1]


def test_wide_labels_leave_the_columns_straight():
    lines = draw_matrix(
        of(np.full((3, 2), 0.5), rows=("日本", "ok", "👍"), columns=("한국어로", "x")), Page()
    )
    assert len({cell_len(line.plain[: line.plain.rindex(".5")]) for line in lines[-3:]}) == 1
    assert len({line.cell_len for line in lines[2:]}) == 1


def test_markup_in_a_label_is_shown_and_not_obeyed():
    lines = plain(of([[0.5]], rows=("[bold]x[/bold]",), columns=(":smile:",)))
    assert lines[-1].split() == ["[bold]x[/bold]", "0.5"]
    assert ":smile:" in lines[2]


def test_what_is_too_wide_is_stacked_in_equal_groups_and_loses_nothing():
    values = np.arange(32).reshape(2, 16) + 0.25
    lines = plain(of(values), width=80)
    assert [line.strip() for line in lines if "key" in line and "query" not in line] == [
        "key",
        "key (continued)",
    ]
    rows = [line.split()[1:] for line in lines if line.startswith(("  0 ", "  1 "))]
    assert rows == [
        [f"{number:.2f}" for number in values[row, start : start + 8]]
        for start in (0, 8)
        for row in (0, 1)
    ]


def test_what_would_fill_screens_is_reduced_and_says_so():
    values = np.random.default_rng(0).normal(size=(100, 768))
    lines = plain(of(values, name="blocks.7.resid_pre"), width=80)
    assert len(lines) < 60
    told = " ".join(line.strip() for line in lines[-2:])
    match = re.fullmatch(
        r"Shown: (\d+) of 100 rows \(0–(\d+), (\d+)–99\) and (\d+) of 768 columns "
        r"\(0–(\d+), (\d+)–767\); .values of blocks.7.resid_pre has all 76,800.",
        told,
    )
    assert match, told
    n_rows, last_row, first_end, n_columns, last_column, first_right = map(int, match.groups())
    assert n_rows == last_row + 1 + 100 - first_end
    assert n_columns == last_column + 1 + 768 - first_right
    row = next(line for line in lines if line.split()[0] == "99").split()[1:]
    expected = [*values[99, : last_column + 1], *values[99, first_right:]]
    assert row == [f"{n:.3f}" for n in expected[: last_column + 1]] + ["…"] + [
        f"{n:.3f}" for n in expected[last_column + 1 :]
    ]


def test_all_the_width_is_used_before_columns_are_left_out():
    values = np.random.default_rng(0).normal(size=(4, 768))
    for width in (80, 120, 200):
        widest = max(len(line) for line in plain(of(values), width=width)[:-2])
        assert width - 9 <= widest <= width


def test_labels_that_occur_twice_are_told_apart_by_their_index():
    lines = plain(of(np.full((3, 3), 0.5), rows=("the", "cat", "the"), columns=("a", "b", "a")))
    assert lines[2].split() == ["query", "0", "a", "1", "b", "2", "a"]
    assert [line.split()[:2] for line in lines[4:]] == [["0", "the"], ["1", "cat"], ["2", "the"]]


def test_a_long_label_is_cut_visibly():
    lines = plain(of([[0.5]], rows=("antidisestablishmentarianism",)))
    assert lines[-1].split()[0] == "antidisestablis…"


def test_the_longest_labels_leave_room_for_numbers_on_the_narrowest_page():
    names = tuple(f"{index}{'日' * 20}" for index in range(3))
    values = np.full((3, 3), -1.5e-300)
    for line in draw_matrix(of(values, rows=names, columns=names), Page(width=40)):
        assert line.cell_len <= 40


def test_a_scalar_is_one_number_and_a_vector_one_line():
    trace = small_model().trace(ids=[1, 4, 2], target="next")
    assert plain(Matrix.of(trace["loss"]))[-1] == f"  {trace.loss:.6g}"
    gamma = plain(Matrix.of(trace["blocks.0.norm1.gamma"]))
    assert gamma[-1].split() == [f"{n:.3f}" for n in trace["blocks.0.norm1.gamma"].values]


def test_the_future_is_infinite_and_a_nan_is_a_nan():
    lines = plain(of([[0.5, -np.inf], [np.nan, np.inf]]))
    assert [line.split()[1:] for line in lines[-2:]] == [["0.5", "−∞"], ["NaN", "∞"]]


def test_empty_matrices_draw_their_frame():
    for shape in ((0, 3), (3, 0)):
        assert plain(of(np.zeros(shape)))[0] == "T"


@pytest.mark.parametrize(
    ("values", "kind", "legend"),
    [
        ([[-0.5, 2.0]], "signed", "  -2  -  -  -  -  -  0  +  +  +  +  +  2"),
        ([[0.5, 0.25]], "signed", "  0  +  +  +  +  +  0.5"),
        ([[0.5, 0.25]], "probability", "  0  +  +  +  +  +  1"),
    ],
)
def test_colours_come_with_a_legend(values, kind, legend):
    lines = plain(of(values, kind=kind), colours=256)
    assert re.sub(" +", " ", lines[-1]) == re.sub(" +", " ", legend)
    assert lines[:-1] == plain(of(values, kind=kind), colours=0)


def test_matrices_that_share_a_limit_share_their_colours():
    small, large = (of([[number, -number]], limit=2.0) for number in (1.0, 2.0))
    assert plain(small, colours=256)[-1] == plain(large, colours=256)[-1]
    styles = [str(line.spans) for line in draw_matrix(small, Page(colours=256))]
    assert styles != [str(line.spans) for line in draw_matrix(of([[1.0, -1.0]]), Page(colours=256))]


def test_numbers_that_are_only_read_have_no_colours():
    ids = of([[1, 50]], kind="ids")
    assert plain(ids, colours=256) == plain(ids, colours=0)
    assert plain(of([[0.0, 0.0]]), colours=256) == plain(of([[0.0, 0.0]]), colours=0)


def test_a_matrix_may_ask_for_few_decimals():
    values = [[0.84014, -0.00031], [0.0, 0.39638]]
    assert "0.00000" not in "".join(plain(of(values)))
    few = plain(of(values, decimals=2))
    assert [line.split()[1:] for line in few[-2:]] == [["0.84", "0.00"], ["0", "0.40"]]


# Words in cells


@given(matrices(), st.data(), st.integers(40, 200), st.sampled_from([0, 16, 256]))
def test_with_words_no_line_is_wider_than_the_page(matrix, data, width, colours):
    down, across = matrix.values.shape
    words = data.draw(st.lists(LABELS, min_size=across, max_size=across).map(tuple))
    worded = replace(matrix, words=(words,) * down)
    for line in draw_matrix(worded, Page(width=width, colours=colours)):
        assert line.cell_len <= width
        assert "\n" not in line.plain


def test_each_word_stands_before_its_share_and_its_column_is_as_wide_as_it():
    words = (("oak", "a very long word"), ("", " 日本"))
    matrix = of([[0.25, 1.0], [0.004, 0.5]], kind="probability", words=words)
    *_, first, second = plain(matrix, width=80)
    assert first.split() == ["0", "oak", "25%", "a", "very", "l…", "100%"]
    assert second.split() == ["1", "<1%", "␣日本", "50%"]
    assert first.index("25%") + 4 < first.index("a very") < first.index("25%") + 8


def test_beside_words_other_numbers_are_written_as_they_are():
    lines = plain(of([[0.25, -1.5]], words=(("oak", "elm"),)), width=80)
    assert lines[-1].split() == ["0", "oak", "0.25", "elm", "-1.50"]
