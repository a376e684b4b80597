"""A shape and its costs as blocks: the config, the parameters, operations and bytes."""

from __future__ import annotations

from pellucid.decoder.costs import Costs
from pellucid.decoder.parameters import ParameterSpec
from pellucid.trace.budget import trace_bytes
from pellucid.views.scene import Align, Block, Cell, Heading, Table

_FIRST_BLOCK = "blocks.0."


def costs_blocks(title: str, costs: Costs, *, positions: int | None = None) -> tuple[Block, ...]:
    """Return what stands for a shape: every choice of its config, and what each part costs.

    Args:
        title: of the whole.
        costs: of the shape.
        positions: the length of a text to give the work for, between one token and a full context.
    """
    work = work_table(costs, positions=positions)
    return (Heading(title), config_table(costs), parameter_table(costs), work)


def config_table(costs: Costs) -> Table:
    """The config, field by field."""
    rows = tuple((name, written(value)) for name, value in costs.config.to_dict().items())
    return Table("Config", ("field", "value"), rows, align=("left", "left"))


def parameter_table(costs: Costs) -> Table:
    """Every parameter and its size; the blocks, which are all alike, once."""
    n_layer = costs.config.n_layer
    rows: list[tuple[Cell, ...]] = []
    for spec in costs.parameters.values():
        if not spec.name.startswith("blocks."):
            rows.append(parameter_row(spec, spec.name, 1))
        elif spec.name.startswith(_FIRST_BLOCK):
            name = spec.name if n_layer == 1 else spec.name.replace(_FIRST_BLOCK, "blocks.i.")
            rows.append(parameter_row(spec, name, n_layer))
    rows.append(("in all", "", "", "", costs.n_parameters))
    every = f"`i` stands for each of the {n_layer} blocks, 0 to {n_layer - 1}."
    return Table(
        "Parameters",
        ("name", "dims", "shape", "of these", "numbers"),
        tuple(rows),
        align=("left", "left", "left", "right", "right"),
        note=every if n_layer > 1 else None,
    )


def parameter_row(spec: ParameterSpec, name: str, times: int) -> tuple[Cell, ...]:
    """One parameter that occurs so many times, and how many numbers that makes."""
    shape = " × ".join(f"{size:,}" for size in spec.shape)
    return name, " × ".join(spec.dims), shape, times, times * spec.size


def work_table(costs: Costs, *, positions: int | None = None) -> Table:
    """Operations and bytes of one token, of so many, and of a full context."""
    lengths = lengths_of(costs.config.block_size, positions)
    heads = [f"{n:,} token{'s' if n > 1 else ''}" for n in lengths]
    heads[-1] = f"full context, {heads[-1]}"
    traces = [trace_bytes(costs.graph, n, costs.dtype) for n in lengths]
    rows = (
        ("FLOPs of a forward pass", *(f"{costs.flops(n):,}" for n in lengths)),
        ("FLOPs for each token", *(f"{round(costs.flops(n) / n):,}" for n in lengths)),
        ("keys and values in the cache", *(in_bytes(costs.cache_bytes(n)) for n in lengths)),
        ("memory of a full trace", *map(in_bytes, traces)),
    )
    numbers: list[Align] = ["right" for _ in lengths]
    return Table(
        "Work and memory",
        ("", *heads),
        rows,
        align=("left", *numbers),
        note=f"The weights take {in_bytes(costs.weight_bytes)}, {costs.itemsize} bytes a number. "
        "A multiply-add counts as two FLOPs. Decoding with a cache, the last token of such a text "
        "costs what each of its tokens does. Tensors that share memory count once in a trace; in a "
        "file each stands by itself.",
    )


def lengths_of(block_size: int, positions: int | None) -> tuple[int, ...]:
    """The lengths of text to give the work for, each once, the shortest first."""
    return tuple(sorted({1, positions or 1, block_size}))


def written(value: object) -> str:
    """A field of a config as it reads."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def in_bytes(n: int) -> str:
    """A size in the unit that leaves one to three digits before the point: 3,872 is "3.9 kB"."""
    size, units = float(n), ["B", "kB", "MB", "GB", "TB"]
    while round(size, 1) >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{n} B" if units[0] == "B" else f"{size:.1f} {units[0]}"
