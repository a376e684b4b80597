"""A decoder as a torch module that walks the graph, for autograd, FSDP and compile to work on.

The architecture is not written again: calls come from the graph by the table in `torch_ops.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import check_parameters, parameter_specs
from pellucid.engine.torch_program import Part, Program, block_of, parts, path_of
from pellucid.engine.torch_tensors import as_tensor, find_device, find_dtype
from pellucid.ops.operation import Array

Hook = Callable[[str, Tensor], Tensor]
"""Is handed each output by name and returns it, or what shall take its place."""


class Output(NamedTuple):
    """What a forward pass gives.

    logits: `[batch, position, vocab]`.
    loss: mean nats over the targets, where there are any.
    values: the tensors that were to be kept, by name, `[batch, *dims]`.
    """

    logits: Tensor
    loss: Tensor | None
    values: dict[str, Tensor]


class Scope(nn.Module):  # type: ignore[misc]  # torch's types are not read
    """Parameters whose names share a prefix, and scopes within it."""

    def scope(self, name: str) -> Scope:
        """The scope of that name within this one, made if need be."""
        if name not in self._modules:
            self.add_module(name, Scope())
        found: Scope = self._modules[name]
        return found


class Block(Scope):
    """One block: what FSDP gathers, compile compiles and activation checkpointing repeats."""

    program: Program
    """What it does where nothing inside is kept: tensors in by order, tensors out by order."""

    def forward(
        self, *inputs: Tensor, program: Program | None = None, hook: Hook | None = None
    ) -> tuple[Tensor, ...]:
        """Run the block's own program, or another."""
        return execute(self, program or self.program, inputs, hook)


class TorchDecoder(Scope):
    """A decoder whose parameters bear our names: `module.state_dict()["blocks.0.attn.w_q"]`.

    `module.blocks[0]` is a module of its own, and likewise every part of it that has parameters.
    With `checkpoint_activations` a block's inside is not kept for the way back but worked out anew.
    """

    def __init__(
        self,
        graph: Graph,
        parameters: Mapping[str, Array],
        *,
        config: ModelConfig | None = None,
        device: str = "cpu",
        dtype: str | None = None,
        share: bool = False,
    ) -> None:
        """Take parameters over; on the CPU those that can be written to stay on their memory.

        Args:
            graph: of the decoder, with dropout or without.
            parameters: arrays by name.
            config: what the graph was built from, for `pellucid.from_torch`.
            device: "auto", "cpu", "cuda", "cuda:1", "mps".
            dtype: "float32", "float64", "bfloat16" or "float16"; the arrays' own unless given.
            share: whether read-only arrays stay on their memory too, instead of being copied. Then
                the parameters must not be written to.

        Raises:
            PellucidError: a parameter is missing, unknown or of a wrong shape, or there is no such
                device or dtype.
        """
        super().__init__()
        self.graph = graph
        self.config = config
        self.checkpoint_activations = False
        self.routes: dict[Any, tuple[Part, ...]] = {}
        specs = parameter_specs(graph)
        check_parameters(specs, parameters)
        target = find_device(device)
        own = str(next(iter(parameters.values())).dtype)
        to_dtype = find_dtype(own if dtype is None else dtype, target)
        numbers = {block_of(name) for name in specs} - {None}
        self.blocks = nn.ModuleList(Block() for _ in numbers)
        for name in specs:
            tensor = as_tensor(parameters[name]).to(device=target, dtype=to_dtype)
            read_only = not (share or parameters[name].flags.writeable)
            if read_only and shares_memory(tensor, parameters[name]):
                tensor = tensor.clone()
            self.add_parameter(name, nn.Parameter(tensor))
        for part in self.route((), ("logits",)):
            if part.block is not None:
                self.blocks[part.block].program = part.program

    def rewired(self, graph: Graph) -> TorchDecoder:
        """The same parameters, for another graph of them."""
        other = copy(self)
        other.graph = graph
        other.routes = {}
        return other

    def add_parameter(self, name: str, parameter: nn.Parameter) -> None:
        """Put a parameter where its name says."""
        block = block_of(name)
        owner: Scope = self if block is None else self.blocks[block]
        *scopes, local = path_of(name)
        for scope in scopes:
            owner = owner.scope(scope)
        owner.register_parameter(local, parameter)

    def forward(
        self,
        ids: Tensor,
        targets: Tensor | None = None,
        *,
        noise: Tensor | None = None,
        keep: Iterable[str] = frozenset(),
        positions: Tensor | None = None,
    ) -> Output:
        """Run over a batch.

        Args:
            ids: `[batch, position]`, int64.
            targets: the same, −1 where there is none.
            noise: `[batch]`, int64: the bits of a key for each text, where the graph has dropout;
                without it nothing is left out.
            keep: names of tensors to give back beside the logits.
            positions: `[batch, position]`, counted from 0 unless given.

        Raises:
            PellucidError: a name is none of the graph's.
        """
        values = {"ids": ids, "positions": count_up(ids) if positions is None else positions}
        if self.graph.reads_lengths:
            values["lengths"] = values["positions"][:, -1] + 1
        values |= {} if targets is None else {"targets": targets}
        values |= {} if noise is None else {"noise": noise}
        kept = tuple(self.graph.resolve(name) for name in keep)
        outputs = ("logits",) if targets is None else ("logits", "loss")
        found = self.run(values, self.route(kept, outputs, noise=noise is not None))
        return Output(found["logits"], found.get("loss"), {name: found[name] for name in kept})

    def route(self, keep: Sequence[str], outputs: Sequence[str], **how: Any) -> tuple[Part, ...]:
        """The programs that make these tensors; see `torch_program.parts`."""
        key = (*keep, None, *outputs, *how.items())
        if key not in self.routes:
            self.routes[key] = parts(self.graph, keep, outputs, **how)
        return self.routes[key]

    def run(
        self, values: Mapping[str, Tensor], route: Sequence[Part], hook: Hook | None = None
    ) -> dict[str, Tensor]:
        """Every tensor that goes from one part of a route to another or out of it, by name."""
        found = dict(values)
        for block, program in route:
            inputs = [found[name] for name in program.inputs]
            if block is None:
                outputs = execute(self, program, inputs, hook)
            else:
                outputs = self.run_block(self.blocks[block], program, inputs, hook)
            found.update(zip(program.outputs, outputs, strict=True))
        return found

    def run_block(
        self, block: Any, program: Program, inputs: Sequence[Tensor], hook: Hook | None
    ) -> tuple[Tensor, ...]:
        """A block's outputs; it is called as a module, so that what is wrapped round it applies."""
        own = hook is None and program == block.program
        more = {} if own else {"program": program, "hook": hook}
        if self.checkpoint_activations and torch.is_grad_enabled():
            again: tuple[Tensor, ...] = checkpoint(block, *inputs, use_reentrant=False, **more)
            return again
        outputs: tuple[Tensor, ...] = block(*inputs, **more)
        return outputs


def execute(
    module: Any, program: Program, inputs: Sequence[Tensor], hook: Hook | None
) -> tuple[Tensor, ...]:
    """Run a program with a module's parameters."""
    values = list(inputs)
    for step in program.steps:
        given = [values[place] for place in step.inputs]
        parameters = [parameter_at(module, path) for path in step.parameters]
        output = step.call(step.op, given, parameters)
        if step.rounded:
            like: Any = next(module.parameters())
            output = output.to(device=like.device, dtype=like.dtype)
        values.append(output if hook is None or step.name is None else hook(step.name, output))
        if step.extras is not None:
            values.extend(step.extras(step.op, given, parameters))
    return tuple(values[place] for place in program.places)


def parameter_at(module: Any, path: Sequence[str]) -> Tensor:
    """A module's parameter, looked up anew each time: sharding puts others in its place."""
    for name in path:
        module = getattr(module, name)
    found: Tensor = module
    return found


def count_up(ids: Tensor) -> Tensor:
    """Positions from 0, for every text of a batch: `[batch, position]`."""
    return torch.arange(ids.shape[1], device=ids.device).expand(ids.shape)


def shares_memory(tensor: Tensor, array: Array) -> bool:
    """Whether writing to the tensor would write to the array."""
    return bool(tensor.data_ptr() == array.ctypes.data)
