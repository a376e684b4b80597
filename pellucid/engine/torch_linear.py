"""The linear map in torch, by the faster of two libraries.

On a CPU torch multiplies float32 with MKL, which leaves half of an AMD processor's vector unit
unused. oneDNN, which torch has for 16 bits, uses all of it, in the same precision. It takes some
microseconds longer to begin, so small products stay with MKL. Measured in `benchmarks/RESULTS.md`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

WORTH_IT = 1 << 20
"""From so many multiplications on."""
HAS_ONEDNN = (
    torch.backends.mkldnn.is_available()
    and torch.backends.cpu.get_cpu_capability() == "AVX512"
    and hasattr(torch.ops.mkldnn, "_linear_pointwise")
)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None, *, transposed: bool) -> Tensor:
    """`x · weight + bias`.

    Args:
        x: `[…, in]`.
        weight: `[in, out]`, or `[out, in]` if `transposed`.
        bias: `[out]`, or None.
        transposed: how the weight lies.
    """
    rows = x.numel() // x.shape[-1]
    if is_for_onednn(x, weight, rows):
        out = OneDnnLinear.apply(x.reshape(rows, -1), weight, bias, transposed)
        return out.reshape(*x.shape[:-1], -1)
    return functional.linear(x, weight if transposed else weight.t(), bias)


def is_for_onednn(x: Tensor, weight: Tensor, rows: int) -> bool:
    """Whether oneDNN is there, and faster. A single row only reads the weight once, either way."""
    return (
        HAS_ONEDNN
        and x.device.type == "cpu"
        and x.dtype == weight.dtype == torch.float32
        and rows > 1
        and rows * weight.numel() > WORTH_IT
        and not torch.is_autocast_enabled("cpu")
    )


def call_onednn(
    rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
) -> torch.Tensor:
    """`rows · weightᵀ + bias`, for a weight `[out, in]`, however it lies."""
    product: Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return product


def uncomputed(rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """A tensor of the same shape and dtype."""
    return rows.new_empty(rows.shape[0], weight.shape[0])


OPAQUE: Any = torch.library.custom_op("pellucid::onednn", call_onednn, mutates_args=())
"""The same as an operation that torch.compile does not look into; it takes longer to call."""
OPAQUE.register_fake(uncomputed)


def product_with(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """`rows · weightᵀ + bias`, compiled or not."""
    call = OPAQUE if torch.compiler.is_compiling() else call_onednn
    product: Tensor = call(rows, weight, bias)
    return product


class OneDnnLinear(torch.autograd.Function):  # type: ignore[misc]  # torch's types are not read
    """`linear` of rows `[row, in]`, forwards and backwards by oneDNN."""

    @staticmethod
    def forward(
        ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool
    ) -> Tensor:
        ctx.save_for_backward(rows, weight)
        ctx.transposed = transposed
        return product_with(rows, weight if transposed else weight.t(), bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        to_rows, to_weight, to_bias, _ = ctx.needs_input_grad
        ends = (grad, rows) if ctx.transposed else (rows, grad)
        return (
            multiply(grad, weight.t() if ctx.transposed else weight) if to_rows else None,
            sum_of_outer_products(*ends) if to_weight else None,
            grad.sum(0) if to_bias else None,
            None,
        )


def sum_of_outer_products(a: Tensor, b: Tensor) -> Tensor:
    """`aᵀ · b` of `[row, i]` and `[row, j]`: `[i, j]`."""
    # Whichever comes first is copied, so that its rows lie in one piece: better the narrow one.
    if a.shape[1] <= b.shape[1]:
        return multiply(a.t(), b.t())
    return multiply(b.t(), a.t()).t()


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """`a · bᵀ` of `[row, in]` and `[column, in]`, with a gradient of its own if that is wanted."""
    if not torch.is_grad_enabled():
        return product_with(a, b, None)
    product: Tensor = OneDnnLinear.apply(a, b, None, True)
    return product
