"""The torch call of each operation. Its backward pass is autograd's.

The table has a call for every operation, and beside it what it takes to work out an operation's
extras where they are asked for, since a fused call keeps them to itself. A chain of operations may
have one call for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from pellucid.engine import torch_activations as activations
from pellucid.engine import torch_edits as edits
from pellucid.engine import torch_linear
from pellucid.engine import torch_norms as norms
from pellucid.engine.torch_noise import uniform
from pellucid.engine.torch_norms import wide
from pellucid.engine.torch_parts import PARTS
from pellucid.engine.torch_tensors import as_array, as_tensor
from pellucid.ops.loss import NO_TARGET
from pellucid.ops.position import LONGEST_WAVE

Tensors = Sequence[Tensor]
Call = Callable[[Any, Tensors, Tensors], Tensor]
"""An operation, its inputs `[batch, *dims]` and its parameters, to its output."""
Extras = Callable[[Any, Tensors, Tensors], tuple[Tensor, ...]]
"""The same, to its extras in their order."""


class Fusion(NamedTuple):
    """One call for a chain of operations, each of which reads the output of the one before.

    `call` is given all of them, and their inputs in order, without the outputs that are passed on.
    """

    kinds: tuple[str, ...]
    call: Call


def embedding(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The table's rows."""
    return functional.embedding(inputs[0], parameters[0])


def sinusoidal(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Waves, in float64."""
    # Apple's devices have no float64, which large positions need.
    positions = inputs[0].cpu() if inputs[0].device.type == "mps" else inputs[0]
    even = torch.arange(op.width, device=positions.device, dtype=torch.float64) // 2 * 2
    angle = positions[..., None] * LONGEST_WAVE ** (-even / op.width)
    is_even = torch.arange(op.width, device=positions.device) % 2 == 0
    return torch.where(is_even, angle.sin(), angle.cos())


def add(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The sum."""
    return inputs[0] + inputs[1]


def linear(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """`x · w + b`."""
    bias = parameters[1] if op.bias is not None else None
    return torch_linear.linear(inputs[0], parameters[0], bias, transposed=op.transposed)


def scale(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Times one number."""
    return inputs[0] * op.factor


def soft_cap(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Bent below the cap."""
    return (inputs[0] / op.cap).tanh() * op.cap


def rotate(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Pairs turned by their positions."""
    waves = extras_of_rotate(op, inputs, parameters)
    return turned(op, inputs[0], *(wave[:, None] for wave in waves))


def turned(op: Any, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Pairs turned by cosines and sines, `[batch, 1, position, pair]`."""
    first, second = op.halves_of_pairs()
    a, b = x[..., first], x[..., second]
    pair = a * cos - b * sin, b * cos + a * sin
    together = torch.stack(pair, -1).flatten(-2) if op.layout == "pairs" else torch.cat(pair, -1)
    return together if op.width == x.shape[-1] else torch.cat((together, x[..., op.width :]), -1)


def extras_of_rotate(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """Cosines and sines."""
    x, *given = inputs
    return tuple(wave.to(x) for wave in waves_of(op, *given))


def waves_of(op: Any, *given: Tensor) -> tuple[Tensor, ...]:
    """The same in float64, of positions, and of lengths where frequencies depend on them."""
    # Angles of far positions need float64, which Apple's devices do not have.
    positions, *lengths = (each.cpu() if each.device.type == "mps" else each for each in given)
    frequencies = as_tensor(op.frequencies.at(*(as_array(each) for each in lengths)))
    angles = positions[..., None] * frequencies.to(positions.device)
    return angles.cos() * op.magnitude, angles.sin() * op.magnitude


def split_heads(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Heads cut apart, a view."""
    return inputs[0].unflatten(-1, (op.n_head, -1)).transpose(1, 2)


def merge_heads(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Heads side by side."""
    return inputs[0].transpose(1, 2).flatten(2)


def remember(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The same keys, or values."""
    return inputs[0]


def scores(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Products of queries and keys, scaled."""
    q, keys = inputs
    return product(q, keys.mT) * op.scale


def causal_mask(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Scores with the future, and what is before the window, at −∞."""
    given, positions = inputs
    # Chosen, not added to: a NaN or an infinity in the future must not get through.
    queries, keys = given.shape[-2:]
    return given.masked_fill(~seen(positions, queries, keys, op.window), -torch.inf)


def alibi(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Scores lowered by how far back a key is."""
    given, positions = inputs
    back = positions[:, None, :, None] - torch.arange(given.shape[-1], device=given.device)
    slopes = torch.tensor(op.slopes, dtype=given.dtype, device=given.device)[:, None, None]
    return given - slopes * back


def softmax(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Shares, worked out in float32 at least."""
    return wide(inputs[0]).softmax(-1).to(inputs[0].dtype)


def extras_of_softmax(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """Maximum and sum."""
    x = wide(inputs[0])
    largest = x.amax(-1, keepdim=True)
    return largest[..., 0], (x - largest).exp().sum(-1)


def mix(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Values mixed by the pattern."""
    pattern, values = inputs
    return product(pattern, values)


def attention(ops: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Scores, mask, softmax and mix in one call, which never writes the pattern down."""
    q, keys, positions, values = inputs
    queries, n_keys, window = q.shape[-2], keys.shape[-2], ops[1].window
    whole = queries == n_keys and (window is None or window >= n_keys)
    return functional.scaled_dot_product_attention(
        q,
        keys,
        values,
        attn_mask=None if whole else seen(positions, queries, n_keys, window),
        is_causal=whole,
        scale=ops[0].scale,
        enable_gqa=q.shape[1] != keys.shape[1],
    )


def dropout(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """What is kept, scaled."""
    (kept,) = extras_of_dropout(op, inputs, parameters)
    return inputs[0] * kept


def extras_of_dropout(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """Which numbers are kept, and what they are scaled by."""
    x, keys = inputs
    kept = uniform(op, keys, tuple(x.shape[1:])) >= op.rate
    return (kept.to(x.dtype) * (1 / (1 - op.rate)),)


def cross_entropy(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The loss at each position."""
    logits, targets = inputs
    return rows_of_loss(logits, targets, reduction="none").view(targets.shape)


def extras_of_cross_entropy(op: Any, inputs: Tensors, parameters: Tensors) -> tuple[Tensor, ...]:
    """log Σ exp of the logits."""
    return (wide(inputs[0]).logsumexp(-1),)


def mean_loss(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """The mean over targets."""
    loss, targets = inputs
    marks = targets.ne(NO_TARGET).to(loss.dtype)
    # A position without a target has loss 0 whatever it is made of, so no gradient reaches it.
    return (loss * marks).sum() / marks.sum()


def mean_cross_entropy(ops: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """Both in one call, whose backward pass writes the gradient of the logits once."""
    logits, targets, _ = inputs
    return rows_of_loss(logits, targets, reduction="mean")


def rows_of_loss(logits: Tensor, targets: Tensor, *, reduction: str) -> Tensor:
    """Cross-entropy of `[batch, position, vocab]`; the rows' own, or their mean."""
    return functional.cross_entropy(
        wide(logits).flatten(0, 1), targets.flatten(), ignore_index=NO_TARGET, reduction=reduction
    )


def part(op: Any, inputs: Tensors, parameters: Tensors) -> Tensor:
    """An extra of an operation by itself, or its output out of extras."""
    of = op.of
    if of.kind == "rotate":
        if op.makes == "":
            return turned(of, inputs[0], *(wave[:, None] for wave in inputs[1:]))
        # In float64; a run rounds them to its own precision.
        waves = waves_of(of, *inputs)
        return waves[of.extras.index(op.makes)]
    if op.makes != "" and len(of.extras) == 1 and of.kind != "cross_entropy":
        return EXTRAS[of.kind](of, inputs, parameters)[0]
    return PARTS[of.kind](of, op.makes, inputs, parameters)


def at_places(axis: int, inputs: Tensors, parameters: Tensors) -> Tensor:
    """One place of each text, `[batch]`, along an axis, which stays with length 1."""
    x, places = inputs
    return x.take_along_dim(places.reshape(-1, *(1,) * (x.dim() - 1)), axis)


def product(x: Tensor, shared: Tensor) -> Tensor:
    """`x · shared` for each head; heads that share a key or value head are stacked for it."""
    if x.shape[1] == shared.shape[1]:
        return x @ shared
    grouped = x.reshape(len(x), shared.shape[1], -1, x.shape[-1]) @ shared
    return grouped.reshape(*x.shape[:-1], shared.shape[-1])


def seen(positions: Tensor, queries: int, keys: int, window: int | None) -> Tensor:
    """True where a query sees a key, `[query, key]` or `[batch, 1, query, key]`."""
    places = torch.arange(keys, device=positions.device)
    # As many queries as keys: the text from its beginning.
    at = places[:, None] if queries == keys else positions[:, None, :, None]
    past = places <= at
    return past if window is None else past & (places > at - window)


TORCH: dict[str, Call] = {
    "embedding": embedding,
    "sinusoidal": sinusoidal,
    "add": add,
    "linear": linear,
    "scale": scale,
    "soft_cap": soft_cap,
    "rotate": rotate,
    "layer_norm": norms.layer_norm,
    "rms_norm": norms.rms_norm,
    "split_heads": split_heads,
    "merge_heads": merge_heads,
    "remember": remember,
    "scores": scores,
    "alibi": alibi,
    "causal_mask": causal_mask,
    "softmax": softmax,
    "mix": mix,
    "relu": activations.relu,
    "relu_squared": activations.relu_squared,
    "gelu": activations.gelu,
    "gelu_tanh": activations.gelu_tanh,
    "gelu_quick": activations.gelu_quick,
    "silu": activations.silu,
    "gate": activations.gate,
    "dropout": dropout,
    "change": edits.change,
    "mean_over": edits.mean_over,
    "part": part,
    "cross_entropy": cross_entropy,
    "mean_loss": mean_loss,
}
"""By the operation's kind."""

EXTRAS: dict[str, Extras] = {
    "rotate": extras_of_rotate,
    "layer_norm": norms.extras_of_layer_norm,
    "rms_norm": norms.extras_of_rms_norm,
    "softmax": extras_of_softmax,
    "gelu": activations.extras_of_gelu,
    "gelu_tanh": activations.extras_of_gelu_tanh,
    "gelu_quick": activations.extras_of_logistic_gate,
    "silu": activations.extras_of_logistic_gate,
    "dropout": extras_of_dropout,
    "cross_entropy": extras_of_cross_entropy,
}
"""For the operations that have extras."""

FUSIONS = (
    Fusion(("scores", "causal_mask", "softmax", "mix"), attention),
    Fusion(("cross_entropy", "mean_loss"), mean_cross_entropy),
)
