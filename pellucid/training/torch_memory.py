"""What a training by PyTorch takes of a device's memory, and what there is of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import torch

from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.engine.torch_program import Part, block_of, parts
from pellucid.trace.budget import value_bytes
from pellucid.trace.memory import ROOM, available_memory
from pellucid.training.execution import Execution

BUFFERS = 4
"""Of the parameters' size: themselves, their gradients, and AdamW's two means."""


SAVES_NOTHING = frozenset({"add", "embedding", "split_heads", "merge_heads", "remember"})
"""Kinds of steps whose way back does not read what they read."""


def bytes_needed(
    graph: Graph, execution: Execution, dtype: str, *, windows: int, block_size: int, shards: int
) -> int:
    """Bytes at the height of a step of one process that runs so many windows at once.

    With `shards` it holds as much of every parameter as one of so many has, and besides, the whole
    of the block that is at work, of the next, and of what is outside of blocks.
    """
    sizes = {name: spec.size for name, spec in parameter_specs(graph).items()}
    learned, itemsize = sum(sizes.values()), np.dtype(dtype).itemsize
    held = BUFFERS * learned * itemsize // shards
    if shards > 1:
        in_block: Counter[int | None] = Counter()
        for name, size in sizes.items():
            in_block[block_of(name)] += size
        held += in_block.pop(None, 0) * itemsize
        held += 2 * max(in_block.values(), default=0) * (2 if execution.autocast else itemsize)
    elif execution.autocast:
        # Matrices are rounded once, and stay so until the step is over.
        held += 2 * learned
    return held + windows * window_bytes(graph, execution, dtype, block_size)


def window_bytes(graph: Graph, execution: Execution, dtype: str, block_size: int) -> int:
    """Bytes of what one window leaves for the way back, and of the room that its largest takes."""
    route = parts(graph, (), ("logits", "loss"))
    outside = weigh(graph, [part for part in route if part.block is None], dtype, block_size)
    of_blocks = [
        weigh(graph, [part], dtype, block_size) for part in route if part.block is not None
    ]
    weights = outside | {name: size for each in of_blocks for name, size in each.items()}
    largest, held = max(weights.values()), sum(weights.values())
    if execution.checkpoint_activations and of_blocks:
        entrances = {
            name for part in route if part.block is not None for name in part.program.inputs
        }
        entering = value_bytes(graph, block_size, dtype, entrances & graph.facts.keys())
        held = sum((outside | entering).values()) + max(sum(each.values()) for each in of_blocks)
    return (held // 2 if execution.autocast else held) + ROOM * largest


def weigh(graph: Graph, route: Iterable[Part], dtype: str, block_size: int) -> dict[str, int]:
    """Bytes by name of the tensors that these programs leave for the way back."""
    saved = {name for part in route for name in saved_by(part)} & graph.facts.keys()
    return value_bytes(graph, block_size, dtype, [name for name in graph.facts if name in saved])


def saved_by(part: Part) -> Iterator[str]:
    """Names of the tensors that the steps of a program read again on their way back.

    They are what the steps read; that of a fused call, and that of a dropout, reads what it made
    as well, or in its place.
    """
    made = [*part.program.inputs, *(step.name or "" for step in part.program.steps)]
    for step in part.program.steps:
        kind = getattr(step.op, "kind", "")
        if kind not in SAVES_NOTHING:
            yield from (made[place] for place in step.inputs)
        if not kind and step.name:
            yield step.name


def bytes_there(device: torch.device, processes: int) -> int | None:
    """Bytes that one of so many processes of a machine may have, or None if that is not known."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "mps":
        return int(torch.mps.recommended_max_memory())
    there = available_memory()
    return None if there is None else there // processes
