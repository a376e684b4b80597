"""Parameters: names, dims and shapes as the graph has them; one flat buffer for training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS, Graph
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.norm import Norm
from pellucid.ops.operation import Array, Dims, Operation


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """What is known of a parameter: its name, its dims and its shape `[in, out]`.

    `kind` is "embedding", "matrix", "bias" or "gain". `fan_in` is how many numbers a linear map
    adds up for each of its outputs; 0 for an embedding or a norm.
    """

    name: str
    dims: Dims
    shape: tuple[int, ...]
    kind: str
    fan_in: int

    @property
    def size(self) -> int:
        return prod(self.shape)


def parameter_specs(graph: Graph) -> dict[str, ParameterSpec]:
    """Every parameter of a graph by name, in the order of its first use."""
    dims = {**GRAPH_INPUTS, **{name: fact.dims for name, fact in graph.facts.items()}}
    specs: dict[str, ParameterSpec] = {}
    for node in graph.nodes:
        inputs = [dims[name] for name in node.inputs]
        fan_in = graph.sizes[inputs[0][-1]] if node.op.kind == "linear" else 0
        for name, of in zip(node.parameters, node.op.parameter_dims(*inputs), strict=True):
            shape = tuple(graph.sizes[dim] for dim in of)
            spec = ParameterSpec(name, of, shape, parameter_kind(node.op, name, of), fan_in)
            specs.setdefault(name, spec)
    return specs


def parameter_kind(op: Operation, name: str, dims: Dims) -> str:
    """ "embedding", "matrix", "gain" or "bias"; what is added to 1 to be a gain is a bias."""
    if isinstance(op, Norm):
        return "gain" if name.endswith("gamma") and not op.unit_offset else "bias"
    if op.kind == "embedding":
        return "embedding"
    return "matrix" if len(dims) == 2 else "bias"


def check_parameters(specs: Mapping[str, ParameterSpec], given: Mapping[str, Array]) -> None:
    """Hold parameters against what a graph needs.

    Raises:
        PellucidError: one is missing, unknown, of the wrong shape, or not of floating point.
    """
    for name, spec in specs.items():
        if name not in given:
            raise PellucidError(
                f"The parameters lack {name} {list(spec.shape)}.{did_you_mean(name, given)}"
            )
        if given[name].shape != spec.shape:
            raise PellucidError(
                f"{name} is {list(given[name].shape)}, but this model's is {list(spec.shape)} "
                f"({' × '.join(spec.dims)})."
            )
        if not np.issubdtype(given[name].dtype, np.floating):
            raise PellucidError(f"{name} holds {given[name].dtype}, not floating-point numbers.")
    for name in given:
        if name not in specs:
            raise PellucidError(f'This model has no parameter "{name}".{did_you_mean(name, specs)}')


def read_only(parameters: Mapping[str, Array], dtype: Any = None) -> dict[str, Array]:
    """Copies that nobody can write to, rounded to `dtype` where one is given."""
    copies = {name: np.array(array, dtype=dtype) for name, array in parameters.items()}
    for array in copies.values():
        array.flags.writeable = False
    return copies


class FlatParameters(Mapping[str, Array]):
    """Parameters laid end to end in one buffer, so that an optimizer moves all of them at once.

    `buffer` is 1-D; each name gives a view into it.
    """

    def __init__(self, specs: Mapping[str, ParameterSpec], dtype: Any = np.float32) -> None:
        self.specs = dict(specs)
        self.buffer = np.zeros(sum(spec.size for spec in specs.values()), dtype=dtype)
        self.views: dict[str, Array] = {}
        start = 0
        for name, spec in self.specs.items():
            self.views[name] = self.buffer[start : start + spec.size].reshape(spec.shape)
            start += spec.size

    @classmethod
    def copy_of(
        cls, parameters: Mapping[str, Array], specs: Mapping[str, ParameterSpec]
    ) -> FlatParameters:
        """A buffer with these values, in the dtype of the first of them."""
        flat = cls(specs, next(iter(parameters.values())).dtype)
        for name, view in flat.views.items():
            view[...] = parameters[name]
        return flat

    def zeros_like(self) -> FlatParameters:
        """A buffer of the same layout, for gradients or an optimizer's state."""
        return FlatParameters(self.specs, self.buffer.dtype)

    def __getitem__(self, name: str) -> Array:
        return self.views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.views)

    def __len__(self) -> int:
        return len(self.views)
