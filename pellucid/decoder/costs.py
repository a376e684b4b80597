"""What a shape costs before anything is run: parameters, floating-point operations, bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import ParameterSpec, parameter_specs
from pellucid.ops.operation import count


@dataclass(frozen=True)
class Costs:
    """The costs of one shape in one precision."""

    config: ModelConfig
    parameters: Mapping[str, ParameterSpec]
    dtype: str

    @property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return np.dtype(self.dtype).itemsize

    @property
    def n_parameters(self) -> int:
        """How many numbers are learned; a tied head counts once."""
        return sum(spec.size for spec in self.parameters.values())

    @property
    def weight_bytes(self) -> int:
        return self.n_parameters * self.itemsize

    @property
    def graph(self) -> Graph:
        """The decoder of this shape."""
        return build_graph(self.config)

    def flops(self, positions: int) -> int:
        """Operations of a forward pass over one text; a multiply-add counts as two."""
        return self.graph.flops(positions)

    def cache_bytes(self, positions: int) -> int:
        """Bytes of the keys and values of so many tokens."""
        sizes = {**self.graph.sizes, "key": positions}
        remembered = (node for node in self.graph.nodes if node.op.kind == "remember")
        return sum(count(node.dims, sizes) for node in remembered) * self.itemsize


def costs(config: ModelConfig, *, dtype: str = "float32") -> Costs:
    """What a shape costs. Makes no weights, so it is quick for any size."""
    return Costs(config, parameter_specs(build_graph(config)), dtype)
