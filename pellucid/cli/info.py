"""`pellucid info`: what a shape is made of, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pellucid.cli import options

if TYPE_CHECKING:
    from pellucid.decoder.costs import Costs


def info(model: options.Model, dtype: options.Dtype = None, json: options.Json = False) -> None:
    """Count a model's parameters, operations and bytes.

    A preset needs no weights for this. A folder's files are read and checked.
    """
    from pellucid.cli.models import open_shape
    from pellucid.cli.output import show, write_json
    from pellucid.decoder.costs import costs
    from pellucid.views.costs import costs_blocks

    config, precision = open_shape(model, dtype=dtype)
    found = costs(config, dtype=precision)
    if json:
        write_json({"model": model, "dtype": precision, **as_data(found)})
    else:
        show(costs_blocks(f"{model}: {found.n_parameters:,} parameters", found))


def as_data(costs: Costs) -> dict[str, Any]:
    """The same as plain data, every parameter by itself."""
    from pellucid.trace.budget import trace_bytes

    full = costs.config.block_size
    return {
        "config": costs.config.to_dict(),
        "parameters": [
            {"name": spec.name, "dims": spec.dims, "shape": spec.shape, "numbers": spec.size}
            for spec in costs.parameters.values()
        ],
        "n_parameters": costs.n_parameters,
        "weight_bytes": costs.weight_bytes,
        "passes": [
            {
                "positions": positions,
                "flops": costs.flops(positions),
                "flops_per_token": costs.flops(positions) / positions,
                "trace_memory_bytes": trace_bytes(costs.graph, positions, costs.dtype),
            }
            for positions in (1, full)
        ],
    }
