"""How fresh weights are drawn, by the name of the scheme."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import ParameterSpec, parameter_specs, read_only
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Array

Draw = Callable[[ParameterSpec, np.random.Generator, int], Array]

SMALL = 0.02


def initialise(
    graph: Graph, *, scheme: str, rng: np.random.Generator, dtype: Any = "float32"
) -> dict[str, Array]:
    """Fresh parameters, read-only, drawn in float64 in the graph's order and rounded to `dtype`.

    Args:
        graph: whose parameters to make.
        scheme: "torch" draws as PyTorch's modules do; "gpt2" as GPT-2, small and with smaller
            writes to the stream; "lesson-3" as the decoder-only stack, every table at 0.02.
        rng: advanced by the draws.
        dtype: float32 or float64.

    Raises:
        PellucidError: there is no such scheme.
    """
    if scheme not in SCHEMES:
        raise PellucidError(
            f'There is no initialisation "{scheme}".{did_you_mean(scheme, SCHEMES)} '
            f"There are {', '.join(SCHEMES)}."
        )
    draw, depth = SCHEMES[scheme], n_layer(graph)
    specs = parameter_specs(graph)
    return read_only({name: draw(spec, rng, depth) for name, spec in specs.items()}, dtype)


def draw_as_torch(spec: ParameterSpec, rng: np.random.Generator, depth: int) -> Array:
    """Embeddings normal with deviation 1; linear maps uniform within ±1/√fan_in, biases too."""
    if spec.kind == "embedding":
        return rng.standard_normal(spec.shape)
    if spec.fan_in:
        bound = 1 / sqrt(spec.fan_in)
        return rng.uniform(-bound, bound, spec.shape)
    return constant(spec)


def draw_as_gpt2(spec: ParameterSpec, rng: np.random.Generator, depth: int) -> Array:
    """Tables normal with deviation 0.02, those that write to the stream by 1/√(2 · layers) less.

    Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), 2.3.
    """
    if spec.kind not in ("embedding", "matrix"):
        return constant(spec)
    writes = spec.name.endswith(("attn.w_o", "mlp.w_out"))
    return rng.standard_normal(spec.shape) * (SMALL / sqrt(2 * depth) if writes else SMALL)


def draw_as_lesson_3(spec: ParameterSpec, rng: np.random.Generator, depth: int) -> Array:
    """Tables normal with deviation 0.02, all of them."""
    if spec.kind not in ("embedding", "matrix"):
        return constant(spec)
    return rng.standard_normal(spec.shape) * SMALL


def constant(spec: ParameterSpec) -> Array:
    """Gains 1, biases 0."""
    return np.ones(spec.shape) if spec.kind == "gain" else np.zeros(spec.shape)


SCHEMES: dict[str, Draw] = {
    "torch": draw_as_torch,
    "gpt2": draw_as_gpt2,
    "lesson-3": draw_as_lesson_3,
}


def n_layer(graph: Graph) -> int:
    """How many blocks a graph has."""
    return sum(node.name.endswith(".attn.out") for node in graph.nodes)
