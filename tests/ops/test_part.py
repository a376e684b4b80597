"""Parts of an operation, one after the other, are the operation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid.ops  # noqa: F401  (fills the registry)
from pellucid.ops.operation import OPERATIONS
from tests.gradients.operation_cases import CASES

with_extras = pytest.mark.parametrize(
    "kind", sorted(k for k, op in OPERATIONS.items() if op.extras)
)


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
