"""Every operation says how each of its numbers was made, and how they move with its operands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid.ops  # noqa: F401  (fills the registry)
from pellucid.ops.evidence import ALL, Seen, as_text, constants, label_at, unchanged, worked_out
from pellucid.ops.operation import OPERATIONS
from tests.gradients.finite_differences import STEP
from tests.gradients.operation_cases import CASES
from tests.ops.evidence_of import BITS, evidence_of, movable, one_text

every_operation = pytest.mark.parametrize("kind", sorted(OPERATIONS))

TOKENS = ("i", "am", "i", "groot")


def some_cells(data, array, most=12):
    """A few cells of an array, drawn; all of them where there are few."""
    cells = list(np.ndindex(array.shape))
    if len(cells) <= most:
        return cells
    return data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=most, unique=True))


@every_operation
@given(data=st.data())
@settings(max_examples=20)
def test_every_number_is_explained_by_its_operands(kind, data):
    case = data.draw(CASES[kind])
    seen, arrays = evidence_of(case)
    for extra in (None, *case.op.extras):
        made = arrays["output" if extra is None else f"output.{extra}"]
        for cell in some_cells(data, made):
            derivation = case.op.explain(seen, cell, extra)
            value = float(made[cell])
            again = derivation.recompute()
            assert again == value or abs(again - value) <= BITS * derivation.size()
            assert derivation.formula
            assert derivation.latex
            assert derivation.substituted


@every_operation
@given(data=st.data())
@settings(max_examples=20)
def test_an_explanation_reads_the_cells_that_it_names(kind, data):
    case = data.draw(CASES[kind])
    seen, arrays = evidence_of(case)
    for extra in (None, *case.op.extras):
        made = arrays["output" if extra is None else f"output.{extra}"]
        for cell in some_cells(data, made, most=4):
            for operands in case.op.explain(seen, cell, extra).operands:
                for i in range(len(operands)):
                    assert arrays[operands.name][operands.cell(i)] == operands.values[i]


@every_operation
@given(data=st.data())
@settings(max_examples=20)
def test_a_slope_is_how_the_output_moves(kind, data):
    case = data.draw(CASES[kind])
    seen, arrays = evidence_of(case)
    finite = np.isfinite(arrays["output"])
    for operand, array in movable(case).items():
        of_text = array[0] if operand.startswith("input") else array
        for cell in some_cells(data, of_text, most=6):
            if not np.isfinite(of_text[cell]):
                continue
            slope = case.op.slope(seen, operand, cell)
            said = np.zeros(arrays["output"].shape)
            said[slope.index] = (slope.scale * slope.values).reshape(said[slope.index].shape)
            moved = by_moving(case, of_text, cell)
            largest = max(1.0, np.abs(said).max(initial=0))
            np.testing.assert_allclose(said[finite], moved[finite], rtol=0, atol=1e-6 * largest)
            assert slope.formula
            assert slope.latex


def by_moving(case, array, cell):
    """How fast each number of the output moves with one cell, by moving it a little each way."""
    before, outputs = array[cell], []
    for step in (STEP, -STEP):
        array[cell] = before + step
        outputs.append(case.op.forward(one_text(case), case.parameters)[0][0].copy())
    array[cell] = before
    with np.errstate(invalid="ignore"):
        return (outputs[0] - outputs[1]) / (2 * STEP)


# How cells read


def scores(heads=2):
    values = np.arange(heads * 16.0).reshape(heads, 4, 4)
    labels = {"query": TOKENS, "key": TOKENS}
    return Seen("blocks.0.attn.scores", "scores", values, ("head", "query", "key"), labels)


def test_a_cell_reads_with_its_labels():
    assert scores().say(1, 1, 3) == "scores[1, am, groot]"
    assert scores(heads=1).say(0, 1, 3) == "scores[am, groot]"


def test_a_label_that_stands_twice_says_where_it_stands():
    assert scores().say(0, 0, 2) == "scores[0, i@0, i@2]"
    assert [label_at(TOKENS, place) for place in range(4)] == ["i@0", "am", "i@2", "groot"]


def test_an_index_names_its_dim_where_another_dim_is_left_out():
    assert scores().say(1, 1, ALL) == "scores[head=1, am]"
    assert scores().say(ALL, ALL, ALL) == "scores"


def test_a_key_is_not_taken_for_a_query():
    assert scores().say(1, ALL, 3) == "scores[head=1, key=groot]"
    assert scores().say(1, 3, ALL) == "scores[head=1, groot]"
    assert scores().say(0, 3, 3) == "scores[0, groot, groot]"


def test_latex_takes_names_and_labels_as_they_stand():
    odd = Seen("a_b", "a_b", np.arange(2.0), ("vocab",), {"vocab": ("50%_#&$", r"{\^~}")})
    assert odd.tex(0) == r"\mathrm{a\_b}_{\text{50\%\_\#\&\$}}"
    assert odd.tex(1) == r"\mathrm{a\_b}_{\text{\{\textbackslash{}\^{}\~{}\}}}"
    assert odd.tex(ALL) == r"\mathrm{a\_b}"
    assert as_text("d_model = 3") == r"\text{d\_model = 3}"


def test_cells_are_taken_as_they_are_named():
    row = scores().at("score", 1, 2, ALL)
    assert (row.role, row.name, len(row)) == ("score", "blocks.0.attn.scores", 4)
    assert [row.cell(i) for i in range(4)] == [(1, 2, key) for key in range(4)]
    np.testing.assert_array_equal(row.values, scores().values[1, 2])
    (only,) = scores().at("score", 1, 2, 3).values
    assert only == scores().values[1, 2, 3]


# Local derivatives


def test_local_derivatives_know_what_they_are_worked_out_of():
    row, one = scores().at("row", 0, 0, ALL), scores().at("one", 1, 1, 1)
    made = worked_out((row, one), lambda row, one: row * one)
    np.testing.assert_array_equal(made.values, row.values * one.values)
    assert list(made.cells) == [*row.cells, *one.cells]
    assert made.number_of_cells == 5
    assert list(made.cells_of(0)) == [("blocks.0.attn.scores", (1, 1, 1))]


def test_a_constant_has_no_cells():
    assert list(constants(0.5, 3).values) == [0.5, 0.5, 0.5]
    assert list(constants(0.5).cells) == []


def test_what_is_handed_on_goes_to_as_many_cells_as_are_named():
    assert list(unchanged(2, 3).values) == [1]
    assert list(unchanged(np.array([0, 4, 5]), 3).values) == [1, 1, 1]
    assert list(unchanged(np.array([], dtype=int), 3).values) == []
