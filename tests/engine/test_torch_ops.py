"""The torch call of every operation, against the operation itself."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid.ops  # noqa: F401  (fills the registry)
from pellucid.engine.torch_norms import wide
from pellucid.engine.torch_ops import EXTRAS, FUSIONS, TORCH, attention
from pellucid.engine.torch_tensors import as_array, as_tensor
from pellucid.ops.attention import Mix, Scores
from pellucid.ops.layer_norm import LayerNorm
from pellucid.ops.mask import CausalMask
from pellucid.ops.operation import OPERATIONS
from pellucid.ops.position import Sinusoidal
from pellucid.ops.softmax import Softmax
from tests.gradients.operation_cases import CASES
from tests.ops.passes import backward

pytestmark = pytest.mark.usefixtures("one_torch_thread")

every_operation = pytest.mark.parametrize("kind", sorted(OPERATIONS))


def test_every_operation_has_a_call_and_every_call_an_operation():
    assert sorted(TORCH) == sorted(OPERATIONS)
    assert sorted(EXTRAS) == sorted(kind for kind, op in OPERATIONS.items() if op.extras)
    assert {kind for fusion in FUSIONS for kind in fusion.kinds} <= set(OPERATIONS)


def as_leaf(array):
    """A tensor of its own, with a gradient if it holds numbers with a fraction."""
    tensor = as_tensor(array).clone()
    return tensor.requires_grad_(tensor.is_floating_point())


def run_in_torch(case):
    inputs, parameters = [[as_leaf(x) for x in group] for group in (case.inputs, case.parameters)]
    return TORCH[case.op.kind](case.op, inputs, parameters), inputs, parameters


@every_operation
@given(data=st.data())
@settings(max_examples=25)
def test_output_and_extras(kind, data):
    case = data.draw(CASES[kind])
    output, extras = case.op.forward(case.inputs, case.parameters)
    theirs, inputs, parameters = run_in_torch(case)
    np.testing.assert_allclose(as_array(theirs).reshape(output.shape), output, rtol=0, atol=1e-12)
    if extras:
        found = EXTRAS[kind](case.op, inputs, parameters)
        for ours, other in zip(extras, found, strict=True):
            np.testing.assert_allclose(as_array(other), ours, rtol=0, atol=1e-12)


@every_operation
@given(data=st.data())
@settings(max_examples=25)
def test_autograd_agrees_with_backward(kind, data):
    case = data.draw(CASES[kind])
    output, inputs, parameters = run_in_torch(case)
    ours, _ = case.op.forward(case.inputs, case.parameters)
    grad = np.random.default_rng(0).standard_normal(ours.shape)
    if output.requires_grad:
        output.backward(torch.tensor(grad.reshape(output.shape)))
    expected = backward(case.op, grad, case.inputs, case.parameters)
    for tensors, gradients in zip((inputs, parameters), expected, strict=True):
        for tensor, gradient in zip(tensors, gradients, strict=True):
            if gradient is None:
                assert tensor.grad is None
            else:
                np.testing.assert_allclose(as_array(tensor.grad), gradient, rtol=0, atol=1e-10)


def test_waves_are_exact_far_from_the_beginning():
    op, positions = Sinusoidal(16), np.array([[0, 1, 1000, 131_071]])
    waves = as_array(TORCH["sinusoidal"](op, [as_tensor(positions)], []))
    np.testing.assert_allclose(waves, op.forward([positions], [])[0], rtol=0, atol=1e-10)
    assert waves.dtype == np.float64


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_wrong_in_the_future_does_not_get_through_the_mask(bad):
    scores = np.zeros((1, 1, 3, 3))
    scores[..., 0, 2] = bad
    positions = as_tensor(np.arange(3)[None])
    masked = TORCH["causal_mask"](CausalMask(), [as_tensor(scores), positions], [])
    expected = np.where(np.tri(3, dtype=bool), 0.0, -np.inf)
    np.testing.assert_array_equal(as_array(masked)[0, 0], expected)


OPS = (Scores(3), CausalMask(), Softmax("key"), Mix())
"""For another width than the heads have: the scale is the operation's, not torch's own."""


ATTENTIONS = [(6, 6, 4), (6, 6, 2), (1, 6, 4), (2, 6, 1), (1, 1, 4)]
"""Queries as many as keys or fewer, heads of their own or shared."""


@pytest.mark.parametrize(("queries", "keys", "kv_heads"), ATTENTIONS)
def test_the_fused_attention_is_its_four_steps(queries, keys, kv_heads):
    rng = np.random.default_rng(0)
    q = rng.standard_normal((3, 4, queries, 8))
    keys, values = rng.standard_normal((2, 3, kv_heads, keys, 8))
    first = np.zeros((3, 1), int) if queries == keys.shape[2] else np.array([[4], [0], [3]])
    positions = first + np.arange(queries)
    tensors = [as_tensor(np.ascontiguousarray(x)) for x in (q, keys, positions, values)]
    x, _ = OPS[0].forward([q, keys], [])
    x, _ = OPS[1].forward([x, positions], [])
    x, _ = OPS[2].forward([x], [])
    z, _ = OPS[3].forward([x, values], [])
    np.testing.assert_allclose(as_array(attention(OPS, tensors, [])), z, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_norms_and_softmax_of_16_bits_are_worked_out_in_32(dtype):
    """Rounded once, at the end: 2,000 numbers added up in 16 bits would be far off."""
    x = torch.randn(2, 3, 2000, generator=torch.Generator().manual_seed(0)).to(dtype)
    gamma, beta = torch.ones(2000, dtype=dtype), torch.zeros(2000, dtype=dtype)
    for op, parameters in ((LayerNorm("gamma", "beta", 1e-5), [gamma, beta]), (Softmax("key"), [])):
        exact, _ = op.forward([as_array(x)], [as_array(p) for p in parameters])
        output = TORCH[op.kind](op, [x], parameters)
        assert output.dtype == dtype
        rounded = torch.from_numpy(exact).to(dtype)
        # Float32 arithmetic may fall on the other side of a tie between two neighbours.
        assert (output != rounded).float().mean() < 0.01


def test_only_numbers_of_16_bits_are_widened():
    for dtype in (torch.float32, torch.float64):
        x = torch.ones(2, dtype=dtype)
        assert wide(x) is x
    assert wide(torch.ones(2, dtype=torch.bfloat16)).dtype == torch.float32
