"""Whether a run fits into the memory at hand, asked before it is started."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.engine.plan import Keep, kept_for
from pellucid.errors import PellucidError
from pellucid.ops.operation import count
from pellucid.trace.budget import gradient_bytes, sizes_of, value_bytes

ROOM = 3
"""How many tensors of the largest size a step may hold for a moment, beside what is kept."""
SPARE = 0.1
"""The share of the available memory that is left to others."""
SMALL = 50_000_000
"""Up to so many bytes the system is not asked: that takes as long as a toy's whole trace."""
MEMORY_INFO = Path("/proc/meminfo")


def require_memory(
    graph: Graph,
    positions: int,
    dtype: Any,
    kept: Iterable[str],
    *,
    gradients: bool,
    memory: float | None = None,
) -> None:
    """Refuse a trace that would not fit, before it is run.

    Args:
        graph: of the model.
        positions: how many tokens.
        dtype: of the model's numbers.
        kept: own names of the tensors to keep.
        gradients: whether the run goes back from a loss.
        memory: bytes that the run may take; nine tenths of what is available unless given.

    Raises:
        PellucidError: it would not fit; the largest tensors are named, and what to do.
    """
    run = (graph, positions, np.dtype(dtype), tuple(kept), gradients)
    needed = run_bytes(*run)
    if memory is None and needed <= SMALL:
        return
    limit = spare_memory() if memory is None else memory
    if limit is not None and needed > limit:
        raise PellucidError(
            f"Tracing {positions} tokens takes {in_bytes(needed)} of memory, and only "
            f"{in_bytes(limit)} may be used. The largest are {heaviest(run_weights(*run))}. "
            f'Keep a part with names=["logits", …], shorten the text, or allow more with memory=….'
        )


@lru_cache(maxsize=64)
def run_bytes(
    graph: Graph, positions: int, dtype: Any, kept: tuple[str, ...], gradients: bool
) -> int:
    """Bytes that a run takes at its height: what it holds on to, and room for a step's work."""
    sizes = sizes_of(graph, positions)
    ends = frozenset(kept) | ({"loss"} if gradients else set())
    made = [f.dims for node in graph.needed_for(ends) for f in (*node.extras, node.fact)]
    sums = parameter_specs(graph).values() if gradients else ()
    largest = max([0, *(count(dims, sizes) for dims in made), *(spec.size for spec in sums)])
    itemsize: int = np.dtype(dtype).itemsize
    held = run_weights(graph, positions, dtype, kept, gradients)
    return sum(held.values()) + ROOM * largest * itemsize


def run_weights(
    graph: Graph, positions: int, dtype: Any, kept: tuple[str, ...], gradients: bool
) -> dict[str, int]:
    """Bytes by name of what a run holds on to: the trace, and until its end what backward reads."""
    if not gradients:
        return value_bytes(graph, positions, dtype, kept)
    read_back = kept_for(graph.needed_for(frozenset({"loss"})), Keep.BACKWARD)
    held = [name for name in graph.facts if name in read_back or name in kept]
    return {
        **value_bytes(graph, positions, dtype, held),
        **gradient_bytes(graph, positions, dtype, kept),
    }


def heaviest(found: Mapping[str, int], n: int = 3) -> str:
    """The largest in words, those of all blocks together."""
    totals: dict[str, int] = {}
    for name, size in found.items():
        alike = re.sub(r"blocks\.\d+\.", "blocks.*.", name)
        totals[alike] = totals.get(alike, 0) + size
    first = sorted(totals, key=lambda name: -totals[name])[:n]
    return ", ".join(f"{name} ({in_bytes(totals[name])})" for name in first)


def spare_memory() -> float | None:
    """Bytes that a run may take and leave others some, or None where the system does not say."""
    available = available_memory()
    return None if available is None else (1 - SPARE) * available


def available_memory() -> int | None:
    """Bytes that can be had without swapping, or None where the system does not say."""
    if MEMORY_INFO.exists():
        for line in MEMORY_INFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if "SC_AVPHYS_PAGES" in getattr(os, "sysconf_names", ()):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def in_bytes(n: float) -> str:
    """A number of bytes in words: "1.5 GB"."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return f"{n:.0f} bytes"
