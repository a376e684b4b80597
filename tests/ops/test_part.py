"""Parts of an operation, one after the other, are the operation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid.ops  # noqa: F401  (fills the registry)
from tests.gradients.finite_differences import assert_slopes, slopes
from tests.gradients.operation_cases import CASES, WITH_EXTRAS, parts
from tests.ops.evidence_of import evidence_of, movable
from tests.ops.passes import backward, is_index
from tests.ops.test_evidence import by_moving

with_extras = pytest.mark.parametrize("kind", WITH_EXTRAS)


@with_extras
@given(data=st.data())
@settings(max_examples=20)
def test_every_extra_is_made_of_those_before_it_and_then_the_output(kind, data):
    op = data.draw(CASES[kind]).op
    assert list(op.inside) == [*op.extras, ""]
    for i, reads in enumerate(op.inside.values()):
        extras = [read for read in reads if not read.startswith("input ")]
        assert set(extras) <= set(op.extras[:i])


@with_extras
@given(data=st.data())
@settings(max_examples=30)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_together_they_give_what_forward_gives_to_the_last_bit(kind, dtype, data):
    case = data.draw(CASES[kind])
    inputs = [x.astype(dtype) if x.dtype.kind == "f" else x for x in case.inputs]
    parameters = [p.astype(dtype) for p in case.parameters]
    output, extras = case.op.forward(inputs, parameters)
    known = {f"input {i}": x for i, x in enumerate(inputs)}
    for part, reads in case.op.inside.items():
        made = case.op.make(part, [known[read] for read in reads], parameters)
        # An engine rounds what is made of whole numbers alone.
        known[part] = made.astype(dtype)
    for name, array in (*zip(case.op.extras, extras, strict=True), ("", output)):
        assert known[name].shape == array.shape
        assert known[name].tobytes() == array.tobytes(), name


@with_extras
@given(data=st.data())
@settings(max_examples=15)
def test_gradients_and_slopes_of_each_part_are_how_it_moves(kind, data):
    case = data.draw(parts(kind))
    output, _ = case.op.forward(case.inputs, case.parameters)
    grad, finite = np.random.default_rng(0).standard_normal(output.shape), np.isfinite(output)

    def weighted_output():
        return float((grad * case.op.forward(case.inputs, case.parameters)[0])[finite].sum())

    to_inputs, _ = backward(case.op, grad, case.inputs, case.parameters)
    for x, gradient in zip(case.inputs, to_inputs, strict=True):
        if not is_index(x):
            cells = np.flatnonzero(np.isfinite(x))[:6]
            assert_slopes(gradient, slopes(weighted_output, x, cells), cells)
    seen, arrays = evidence_of(case)
    for operand, array in movable(case).items():
        of_text = array[0] if operand.startswith("input") else array
        cell = tuple(size - 1 for size in of_text.shape)
        if not np.isfinite(of_text[cell]):
            continue
        slope = case.op.slope(seen, operand, cell)
        said = np.zeros(arrays["output"].shape)
        said[slope.index] = (slope.scale * slope.values).reshape(said[slope.index].shape)
        moved, shown = by_moving(case, of_text, cell), np.isfinite(arrays["output"])
        largest = max(1.0, np.abs(said).max(initial=0))
        np.testing.assert_allclose(said[shown], moved[shown], rtol=0, atol=1e-6 * largest)
