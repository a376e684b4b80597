"""What a shape costs before anything is run: parameters, floating-point operations, bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import ParameterSpec, parameter_specs
from pellucid.ops.operation import count


@dataclass(frozen=True)
class Costs:
    """The costs of one shape, whose numbers are `itemsize` bytes each.

    `flops` and `trace_numbers` are for one text of so many positions: what a forward pass up to the
    probabilities computes with (a multiply-add counts as two), and how many numbers a trace of
    everything holds.
    """

    config: ModelConfig
    parameters: Mapping[str, ParameterSpec]
    itemsize: int

    @property
    def n_parameters(self) -> int:
        """How many numbers are learned; a tied head counts once."""
        return sum(spec.size for spec in self.parameters.values())

    @property
    def weight_bytes(self) -> int:
        return self.n_parameters * self.itemsize

    def flops(self, positions: int) -> int:
        return build_graph(self.config).flops(positions)

    def trace_numbers(self, positions: int) -> int:
        """A tensor that is another one cut or laid out anew counts by itself."""
        graph = build_graph(self.config)
        sizes = {**graph.sizes, **dict.fromkeys(("position", "query", "key"), positions)}
        kept = (fact for fact in graph.facts.values() if not fact.name.startswith("loss"))
        return sum(count(fact.dims, sizes) for fact in kept)

    def trace_bytes(self, positions: int) -> int:
        return self.trace_numbers(positions) * self.itemsize


def costs(config: ModelConfig, *, dtype: str = "float32") -> Costs:
    """What a shape costs. Makes no weights, so it is quick for any size."""
    return Costs(config, parameter_specs(build_graph(config)), np.dtype(dtype).itemsize)
