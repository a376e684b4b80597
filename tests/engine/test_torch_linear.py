"""Linear maps by oneDNN: the numbers and gradients of plain products, where it is worth it."""

from typing import Any

import pytest
import torch

from pellucid.engine import torch_linear
from pellucid.engine.torch_linear import OneDnnLinear, is_for_onednn, linear

pytestmark = [
    pytest.mark.usefixtures("one_torch_thread"),
    pytest.mark.skipif(
        not torch_linear.HAS_ONEDNN, reason="this processor or torch has none of it"
    ),
]
SHAPES = [(40, 24), (24, 40), (32, 32)]
ways = pytest.mark.parametrize("transposed", [False, True])


def numbers(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def operands(rows, width, to, *, transposed, has_bias=True):
    weight = numbers(to, width, seed=1) if transposed else numbers(width, to, seed=1)
    given = [numbers(rows, width), weight, numbers(to, seed=2) if has_bias else None]
    return [x if x is None else x.requires_grad_() for x in given]


def plain(rows, weight, bias, transposed):
    out = rows @ (weight.t() if transposed else weight)
    return out if bias is None else out + bias


@ways
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(("width", "to"), SHAPES)
def test_outputs_and_gradients(width, to, transposed, has_bias):
    given = operands(50, width, to, transposed=transposed, has_bias=has_bias)
    exact: list[Any] = [x if x is None else x.detach().double().requires_grad_() for x in given]
    grad = numbers(50, to, seed=3)
    out, expected = (
        OneDnnLinear.apply(*given, transposed),
        plain(exact[0], exact[1], exact[2], transposed),
    )
    out.backward(grad)
    expected.backward(grad.double())
    torch.testing.assert_close(out.double(), expected, rtol=0, atol=1e-4)
    for x, other in zip(given, exact, strict=True):
        if x is not None and other is not None:
            assert x.grad.stride() == x.stride()
            torch.testing.assert_close(x.grad.double(), other.grad, rtol=0, atol=1e-4)


@ways
def test_only_what_needs_a_gradient_has_one(transposed):
    for needs in (0, 1, 2):
        given = operands(50, 24, 40, transposed=transposed)
        for place, x in enumerate(given):
            x.requires_grad_(place == needs)
        OneDnnLinear.apply(*given, transposed).sum().backward()
        assert [x.grad is not None for x in given] == [place == needs for place in range(3)]


@ways
def test_a_gradient_has_a_gradient(transposed):
    rows, weight, bias = operands(50, 24, 40, transposed=transposed)
    results = []
    for product in (OneDnnLinear.apply, plain):
        out = product(rows, weight, bias, transposed).tanh().sum()
        (first,) = torch.autograd.grad(out, weight, create_graph=True)
        results.append(torch.autograd.grad(first.square().sum(), (rows, weight, bias)))
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-3)


@ways
@pytest.mark.parametrize("lie", ["batch of texts", "batch of heads", "columns apart"])
def test_however_the_input_lies(lie, transposed):
    weight = numbers(640, 320, seed=1) if transposed else numbers(320, 640, seed=1)
    x = {
        "batch of texts": numbers(4, 50, 320),
        "batch of heads": numbers(4, 2, 25, 320),
        "columns apart": numbers(4, 320, 50).transpose(1, 2),
    }[lie]
    assert is_for_onednn(x, weight, 200)
    out = linear(x, weight, None, transposed=transposed)
    torch.testing.assert_close(out, plain(x, weight, None, transposed), rtol=0, atol=1e-3)


def test_it_is_chosen_for_large_products_of_float32_alone():
    weight = numbers(1024, 1024)
    assert is_for_onednn(numbers(2, 1024), weight, 2)
    assert not is_for_onednn(numbers(1, 1024), weight, 1)
    assert not is_for_onednn(numbers(8, 64), numbers(64, 64), 8)
    for dtype in (torch.float64, torch.bfloat16):
        assert not is_for_onednn(numbers(64, 1024).to(dtype), weight.to(dtype), 64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert not is_for_onednn(numbers(64, 1024), weight, 64)
        assert linear(numbers(64, 1024), weight, None, transposed=False).dtype == torch.bfloat16


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The .grad attribute")
@ways
def test_it_can_be_compiled_without_a_break(transposed):
    given = operands(2000, 40, 24, transposed=transposed)
    outputs = []
    for way in (linear, torch.compile(linear, fullgraph=True)):
        out = way(*given, transposed=transposed)
        outputs.append([out, *torch.autograd.grad(out.square().sum(), given)])
    for ours, compiled in zip(*outputs, strict=True):
        torch.testing.assert_close(compiled, ours, rtol=1e-5, atol=1e-3)
