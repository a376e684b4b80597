"""Runs a graph in torch, on a GPU where there is one; arrays in, arrays out.

Its module walks the same graph as the NumPy engine. Backwards, autograd does what the operations'
own `backward` does there: two witnesses that know nothing of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pellucid.decoder.graph import GRAPH_INPUTS, Graph
from pellucid.engine.cache import KeyValueCache
from pellucid.engine.engine import Intervene
from pellucid.engine.numpy_engine import count_up, lengths
from pellucid.engine.picking import PLACES
from pellucid.engine.plan import Keep, kept_for
from pellucid.engine.run import Gradients, Run
from pellucid.engine.torch_cache import TorchCache
from pellucid.engine.torch_module import Hook, TorchDecoder
from pellucid.engine.torch_tensors import DTYPES, as_array, as_tensor
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array


class TorchEngine:
    """The torch engine, with the methods of `NumpyEngine`.

    On the CPU its parameters are the memory of those that it was given.
    """

    def __init__(
        self,
        graph: Graph,
        parameters: Mapping[str, Array],
        *,
        device: str = "auto",
        dtype: str | None = None,
    ) -> None:
        """Take parameters over.

        Args:
            graph: of the decoder.
            parameters: arrays by name.
            device: "auto", "cpu", "cuda", "cuda:1", "mps".
            dtype: "float32", "float64", "bfloat16" or "float16"; the arrays' own unless given.

        Raises:
            PellucidError: there is no such device or dtype.
        """
        self.graph = graph
        self.parameters = parameters
        self.module = TorchDecoder(graph, parameters, device=device, dtype=dtype, share=True)
        first: Any = next(self.module.parameters())
        self.device = first.device
        self.precision = first.dtype
        self.constants = constants_of(graph)
        self.dtype = np.dtype("float64" if first.dtype == torch.float64 else "float32")

    def rewired(self, graph: Graph, changed: Mapping[str, Array]) -> TorchEngine:
        """An engine of the same kind for another graph, some of its parameters changed."""
        if changed:
            parameters = {**self.parameters, **changed}
            dtype = next(name for name, each in DTYPES.items() if each == self.precision)
            return TorchEngine(graph, parameters, device=str(self.device), dtype=dtype)
        # Nothing has to go to the device again.
        other = copy(self)
        other.graph, other.module = graph, self.module.rewired(graph)
        other.constants = constants_of(graph)
        return other

    def new_cache(self, *, batch: int) -> KeyValueCache:
        """An empty cache for `batch` texts."""
        return TorchCache(self.graph, batch=batch, dtype=self.precision, device=self.device)

    def forward(
        self,
        inputs: Mapping[str, Array],
        *,
        keep: Keep | Iterable[str | Keep] = Keep.NOTHING,
        outputs: Iterable[str] = ("logits",),
        intervene: Intervene | None = None,
        cache: KeyValueCache | None = None,
        counts: Array | None = None,
        places: Array | None = None,
    ) -> Run:
        """Run the steps that `outputs` and `keep` need; see `NumpyEngine.forward`.

        A gradient can be had of tensors alone that were kept by name.
        """
        ids = inputs["ids"]
        start = count_up(ids) if cache is None else cache.positions(ids.shape[1])
        given = {"positions": start, **inputs, **({} if places is None else {PLACES: places})}
        ways = frozenset([keep] if isinstance(keep, Keep) else keep)
        start_from = frozenset(inputs).difference(GRAPH_INPUTS)
        kept = self.names(ways, outputs, start_from)
        how = {"fuse": intervene is None, "one_place": places is not None}
        route = self.module.route(kept, (), given=start_from, **how)
        if self.graph.reads_lengths:
            given["lengths"] = lengths(start, counts)
        if self.graph.reads_step:
            given.setdefault("step", np.zeros_like(ids))
        values = {name: self.take(array) for name, array in given.items()}
        goes_back = "loss" in kept and bool(ways & {Keep.BACKWARD, Keep.EVERYTHING})
        with torch.set_grad_enabled(goes_back):
            found = self.module.run(values, route, self.hook(cache, start, intervene))
        if cache is not None:
            cache.advance(np.full(len(ids), ids.shape[1]) if counts is None else counts, start)
        tensors = {name: found[name] for name in kept}
        arrays = {name: of_batch(tensor) for name, tensor in tensors.items()}
        return Run(tensors, given | arrays)

    def take(self, array: Array) -> Tensor:
        """An array as a tensor on the device, in the precision of the engine if it has one."""
        tensor = as_tensor(array).to(self.device)
        return tensor.to(self.precision) if tensor.is_floating_point() else tensor

    def names(
        self, ways: frozenset[str | Keep], outputs: Iterable[str], given: frozenset[str]
    ) -> tuple[str, ...]:
        """The tensors that a run is to give back, in the order of the graph."""
        asked = {name for name in ways if isinstance(name, str)} | set(outputs)
        kept = {self.graph.resolve(name) for name in asked}
        if Keep.EVERYTHING in ways:
            nodes = self.graph.needed_for(frozenset(kept | {"probs"}), given)
            kept |= kept_for(nodes, Keep.EVERYTHING)
        return tuple(name for name in self.graph.facts if name in kept)

    def backward(self, run: Run, *, keep_nodes: Iterable[str] = ()) -> Gradients:
        """Carry d loss / d loss = 1 back through a run, as often as you like.

        See `NumpyEngine.backward`.

        Raises:
            PellucidError: a name is none of the graph's, or the run did not keep it.
        """
        tensors: Mapping[str, Tensor] = run.way_back
        names = [self.graph.resolve(name) for name in keep_nodes]
        lacking = [name for name in names if name not in tensors]
        if lacking:
            raise PellucidError(f"The run did not keep {lacking[0]}: name it in `keep`.")
        nodes = {name: tensors[name] for name in names if tensors[name].requires_grad}
        parameters = dict(self.module.named_parameters())
        found = torch.autograd.grad(
            tensors["loss"],
            [*nodes.values(), *parameters.values()],
            retain_graph=True,
            allow_unused=True,
        )
        to_nodes = dict(zip(nodes, found, strict=False))
        to_parameters = dict(zip(parameters, found[len(nodes) :], strict=True))
        arrays = {name: of_batch(grad) for name, grad in to_nodes.items() if grad is not None}
        return Gradients(arrays, {name: as_array(to_parameters[name]) for name in self.parameters})

    def hook(self, cache: KeyValueCache | None, start: Array, intervene: Intervene | None) -> Hook:
        """What happens to each output on its way: it may go into the cache, or be changed."""

        def on_output(name: str, tensor: Tensor) -> Tensor:
            if name in self.constants and torch.is_grad_enabled():
                # Made of no parameter, and yet the loss has a gradient by it.
                tensor.requires_grad_()
            if cache is not None and name in cache.store:
                tensor = cache.extend(name, tensor, start)
            return tensor if intervene is None else replaced(tensor, name, intervene)

        return on_output


def of_batch(tensor: Tensor) -> Array:
    """A tensor's numbers, `[batch, *dims]`; the loss of a whole batch is [1]."""
    return np.atleast_1d(as_array(tensor))


def constants_of(graph: Graph) -> set[str]:
    """The tensors that no parameter has a part in."""
    return {node.name for node in graph.nodes if not node.op.reads_numbers}


def replaced(tensor: Tensor, name: str, intervene: Intervene) -> Tensor:
    """What an intervention makes of a tensor."""
    array = as_array(tensor)
    instead = intervene(name, array)
    if instead is array:
        return tensor
    changed: Tensor = Replaced.apply(tensor, as_tensor(instead).to(tensor))
    return changed


class Replaced(torch.autograd.Function):  # type: ignore[misc]  # torch's types are not read
    """Other numbers in a tensor's place; its gradient passes as if they were its own."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, instead: Tensor) -> Tensor:
        return instead

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad, None
