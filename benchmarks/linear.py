"""Linear maps in torch on the CPU: ours against `F.linear`, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.comparison import Report, require, take_turns, times_faster
from pellucid.engine import torch_linear

REPEATS = 9
SHAPES = ((128, 512), (512, 128), (384, 1536), (768, 3072))
"""`[in, out]`: of feed-forward networks of nano, mini and GPT-2."""
ROWS = (8, 64, 768, 4096)
AGAIN = 1_000_000_000
"""Multiplications in a turn: small maps are run several times over."""
PEAK = 1536
"""The side of the matrices whose product shows what the processor can do."""


def run() -> Report:
    """Each shape with few rows and with many."""
    cases = [(shape, rows) for shape in SHAPES for rows in ROWS]
    checks = [check(shape, rows) for shape, rows in cases[::5]]
    comparisons = []
    for (width, to), rows in cases:
        times = max(1, AGAIN // (3 * rows * width * to))
        given = operands(width, to, rows)
        ways: dict[str, Callable[[], object]] = {
            "ours": partial(gradients, ours, *given, times=times),
            "theirs": partial(gradients, theirs, *given, times=times),
        }
        seconds = take_turns(ways, repeats=REPEATS)
        each = {name: [s / times for s in found] for name, found in seconds.items()}
        comparisons.append(
            times_faster(
                f"a linear map {width} → {to} of {rows} rows, there and back",
                f"`F.linear`, {torch.get_num_threads()} threads as ours",
                each["ours"],
                each["theirs"],
                at_least=None,
            )
        )
    return Report(checks, comparisons)


def ours(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """As the torch engine does it."""
    return torch_linear.linear(x, weight, bias, transposed=False)


def theirs(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """As `nn.Linear` does it; which way round the weight lies makes no difference to MKL."""
    return functional.linear(x, weight.t(), bias)


def operands(width: int, to: int, rows: int) -> list[Tensor]:
    """Rows, weight, bias, and a gradient of what comes of them."""
    generator = torch.Generator().manual_seed(0)
    sizes = (rows, width), (width, to), (to,), (rows, to)
    return [torch.randn(size, generator=generator) for size in sizes]


def gradients(
    way: Callable[[Tensor, Tensor, Tensor], Tensor],
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    grad: Tensor,
    *,
    times: int,
) -> list[Tensor]:
    """Forwards and backwards so many times; the last gradients."""
    given = [each.detach().requires_grad_() for each in (x, weight, bias)]
    for _ in range(times):
        found = torch.autograd.grad(way(*given), given, grad)
    return list(found)


def check(shape: tuple[int, int], rows: int) -> str:
    """Both ways have the same gradients."""
    found = [gradients(way, *operands(*shape, rows), times=1) for way in (ours, theirs)]
    apart = max(float((a - b).abs().max() / b.abs().max()) for a, b in zip(*found, strict=True))
    claim = (
        f"a linear map {shape} of {rows} rows: the gradients differ by {apart:.1g} of the largest"
    )
    return require(apart < 1e-5, claim)


def peak() -> float:
    """The most GFLOP/s of a float32 product of two square matrices, over a few tries."""
    a, b = torch.randn(2, PEAK, PEAK)
    seconds = []
    for _ in range(8):
        start = perf_counter()
        torch_linear.linear(a, b, None, transposed=False)
        seconds.append(perf_counter() - start)
    return 2 * PEAK**3 / min(seconds) / 1e9
