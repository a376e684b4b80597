"""`pellucid info`: what a shape is made of, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.decoder.costs import Costs


Tokens = Annotated[
    int | None,
    typer.Option("--tokens", min=1, metavar="N", help="Give the work for a text of N tokens too."),
]


def info(
    model: options.Model,
    tokens: Tokens = None,
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Count a model's parameters, operations and bytes.

    A preset needs no weights for this. Of a folder or a GGUF file the config and the shapes of the
    weights are read and checked, and no weights.
    """
    from pellucid.cli.models import open_shape
    from pellucid.cli.output import show, write_json
    from pellucid.decoder.costs import costs
    from pellucid.views.costs import costs_blocks

    config, precision = open_shape(model, dtype=dtype)
    if tokens is not None and tokens > config.block_size:
        raise PellucidError(
            f"--tokens {tokens} is more than the context of {config.block_size} that {model} has."
        )
    found = costs(config, dtype=precision)
    if json:
        write_json({"model": model, "dtype": precision, **as_data(found, tokens)})
    else:
        title = f"{model}: {found.n_parameters:,} parameters"
        show(costs_blocks(title, found, positions=tokens))


def as_data(costs: Costs, tokens: int | None) -> dict[str, Any]:
    """The same as plain data, every parameter by itself."""
    from pellucid.trace.budget import trace_bytes
    from pellucid.views.costs import lengths_of

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
                "cache_bytes": costs.cache_bytes(positions),
                "trace_memory_bytes": trace_bytes(costs.graph, positions, costs.dtype),
            }
            for positions in lengths_of(costs.config.block_size, tokens)
        ],
    }
