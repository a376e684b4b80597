"""Whether a run fits into the memory at hand, asked before it is started."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.engine.plan import Keep, kept_for
from pellucid.errors import PellucidError
from pellucid.ops.operation import count
from pellucid.trace.budget import sizes_of, weights

ROOM = 4
"""A step works with so many tensors of the largest size at once: what it reads, makes, and scraps."""
SPARE = 0.1
"""The share of the available memory that is left to others."""
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

    What backward reads counts too, although it is let go in the end, and room to work in.

    Args:
        graph, positions, dtype, gradients: as in `trace_bytes`.
        kept: own names of the tensors to keep.
        memory: bytes that the run may take; nine tenths of what is available unless given.

    Raises:
        PellucidError: it would not fit; the largest tensors are named, and what to do.
    """
    limit = spare_memory() if memory is None else memory
    if limit is None:
        return
    run = weights(graph, positions, dtype, kept, gradients=gradients)
    if gradients:
        nodes = graph.needed_for(frozenset({"loss"}))
        for_backward = kept_for(nodes, Keep.BACKWARD) & graph.facts.keys()
        run = weights(graph, positions, dtype, for_backward, gradients=False) | run
    needed = sum(run.values()) + ROOM * largest_step(graph, positions, dtype, gradients=gradients)
    if needed > limit:
        raise PellucidError(
            f"Tracing {positions} tokens takes {in_bytes(needed)} of memory, and "
            f"{in_bytes(limit)} may be used; the largest are {heaviest(run)}. "
            f'Keep a part with names=["logits", …], shorten the text, or allow more with memory=….'
        )


def largest_step(graph: Graph, positions: int, dtype: Any, *, gradients: bool) -> int:
    """Bytes of the largest tensor that a run makes, parameters' gradients included."""
    sizes = sizes_of(graph, positions)
    tensors = [count(fact.dims, sizes) for fact in graph.facts.values()]
    specs = parameter_specs(graph).values() if gradients else ()
    itemsize: int = np.dtype(dtype).itemsize
    return itemsize * max([*tensors, *(spec.size for spec in specs)])


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
