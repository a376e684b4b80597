"""The backward pass of every operation there is, against finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid.ops  # noqa: F401  (fills the registry)
from pellucid.ops.operation import OPERATIONS
from tests.gradients.finite_differences import assert_slopes, slopes
from tests.gradients.operation_cases import CASES
from tests.ops.passes import backward, is_index

every_operation = pytest.mark.parametrize("kind", sorted(OPERATIONS))


def test_every_operation_has_a_case_and_every_case_an_operation():
    assert sorted(CASES) == sorted(OPERATIONS)


@every_operation
@given(data=st.data())
@settings(max_examples=30)
def test_backward_is_the_slope_of_forward(kind, data):
    case = data.draw(CASES[kind])
    assert case.op.kind == kind
    output, _ = case.op.forward(case.inputs, case.parameters)
    grad = np.random.default_rng(0).standard_normal(output.shape)
    # The future is −∞ whatever the scores: it takes no part.
    finite = np.isfinite(output)

    def weighted_output():
        return float((grad * case.op.forward(case.inputs, case.parameters)[0])[finite].sum())

    to_inputs, to_parameters = backward(case.op, grad, case.inputs, case.parameters)
    assert len(to_inputs) == len(case.inputs)
    assert len(to_parameters) == len(case.parameters)
    for x, gradient in zip(case.inputs, to_inputs, strict=True):
        if is_index(x):
            assert gradient is None
        else:
            assert gradient.shape == x.shape
            movable = np.flatnonzero(np.isfinite(x))
            assert_slopes(gradient, slopes(weighted_output, x, movable), movable)
    for parameter, gradient in zip(case.parameters, to_parameters, strict=True):
        assert gradient.shape == parameter.shape
        assert_slopes(gradient, slopes(weighted_output, parameter))


@every_operation
@given(data=st.data())
@settings(max_examples=30)
def test_how_numbers_lie_in_memory_plays_no_part(kind, data):
    case = data.draw(CASES[kind])
    output, extras = case.op.forward(case.inputs, case.parameters)
    grad = np.random.default_rng(0).standard_normal(output.shape)
    turned = (
        [np.asfortranarray(x) for x in case.inputs],
        [np.asfortranarray(parameter) for parameter in case.parameters],
    )
    again, extras_again = case.op.forward(*turned)
    gradients = backward(case.op, grad, case.inputs, case.parameters)
    gradients_again = backward(case.op, np.asfortranarray(grad), *turned)
    pairs = [(output, again), *zip(extras, extras_again, strict=True)]
    for side, side_again in zip(gradients, gradients_again, strict=True):
        pairs += zip(side, side_again, strict=True)
    for straight, other in pairs:
        if straight is not None:
            np.testing.assert_allclose(other, straight, rtol=1e-12, atol=1e-12)


@every_operation
@given(data=st.data())
@settings(max_examples=30)
def test_neither_pass_writes_into_what_it_was_given(kind, data):
    case = data.draw(CASES[kind])
    output, extras = case.op.forward(case.inputs, case.parameters)
    grad = np.ones_like(output)
    given_arrays = [*case.inputs, *case.parameters, output, *extras, grad]
    copies = [array.copy() for array in given_arrays]
    case.op.forward(case.inputs, case.parameters)
    case.op.backward(grad, case.inputs, case.parameters, output, extras)
    for array, copy in zip(given_arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@every_operation
@given(data=st.data())
@settings(max_examples=30)
def test_float32_stays_float32_and_agrees_with_float64(kind, data):
    case = data.draw(CASES[kind])
    single = [x if is_index(x) else x.astype(np.float32) for x in case.inputs]
    parameters = [p.astype(np.float32) for p in case.parameters]
    output, extras = case.op.forward(single, parameters)
    wide, wide_extras = case.op.forward(case.inputs, case.parameters)
    pairs = [(output, wide), *zip(extras, wide_extras, strict=True)]
    for narrow, expected in pairs:
        np.testing.assert_allclose(narrow, expected, rtol=1e-4, atol=1e-4)
    if case.op.reads_numbers:
        assert {narrow.dtype for narrow, _ in pairs} == {np.dtype(np.float32)}
        grads = case.op.backward(np.ones_like(output), single, parameters, output, extras)
        found = [grad for side in grads for grad in side if grad is not None]
        assert {grad.dtype for grad in found} == {np.dtype(np.float32)}
