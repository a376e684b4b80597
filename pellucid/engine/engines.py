"""Engines by name; torch's is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from pellucid.decoder.graph import Graph
from pellucid.engine.engine import Engine
from pellucid.engine.find_torch import require_torch
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array


def make_engine(
    name: str,
    graph: Graph,
    parameters: Mapping[str, Array],
    *,
    device: str = "auto",
    dtype: str | None = None,
) -> Engine:
    """An engine for a graph and its parameters.

    Args:
        name: "numpy", or "torch".
        graph: of the decoder.
        parameters: arrays by name, which the engine holds as they are where it can.
        device: for torch; "auto" is a GPU where there is one.
        dtype: for torch: what it computes in, the parameters' own unless given.

    Raises:
        PellucidError: there is no such engine, or it cannot do this.
    """
    if name == "torch":
        require_torch()
        from pellucid.engine.torch_engine import TorchEngine

        return TorchEngine(graph, parameters, device=device, dtype=dtype)
    if name != "numpy":
        raise PellucidError(f'There is no engine "{name}": take numpy or torch.')
    engine = NumpyEngine(graph, parameters)
    if device not in ("auto", "cpu"):
        raise PellucidError(f'The NumPy engine has no device "{device}": take the engine torch.')
    if dtype not in (None, str(engine.dtype)):
        raise PellucidError(
            f"The NumPy engine computes in what the weights are, {engine.dtype}, not {dtype}: "
            f"take the engine torch, or `astype`."
        )
    return engine
