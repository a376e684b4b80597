"""Runs a graph on NumPy arrays, forwards and backwards. Knows no text, no traces and no edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS, Graph
from pellucid.decoder.parameters import FlatParameters
from pellucid.engine.cache import KeyValueCache
from pellucid.engine.engine import Intervene
from pellucid.engine.picking import PLACES
from pellucid.engine.plan import Keep, Plan, plan
from pellucid.engine.recording import RecordedStep, Recording, UnrecordableError, plain
from pellucid.engine.run import Gradients, Run
from pellucid.ops.operation import Array

P = ParamSpec("P")
R = TypeVar("R")
MOST_TO_RECORD = 10_000_000
"""Floating-point operations of a forward pass; beyond, the arithmetic hides what Python takes."""
MOST_RECORDINGS = 8
"""Shapes of batches: each keeps its arrays."""
MADE = "made"
"""With a step's name: what it made, where an intervention has put something in its place."""


def quiet(run: Callable[P, R]) -> Callable[P, R]:
    """Leave what is not finite where it comes up, for whoever looks: a warning helps nobody.

    Whoever has NumPy raise errors instead still gets them.
    """

    @wraps(run)
    def quietly(*args: P.args, **kwargs: P.kwargs) -> R:
        warned: dict[str, Any] = {
            kind: "ignore" for kind, does in np.geterr().items() if does == "warn"
        }
        with np.errstate(**warned):
            return run(*args, **kwargs)

    return quietly


class NumpyEngine:
    """The reference engine, and the default.

    Holds the parameters as they are given: where they are views into a buffer that training
    changes, the next run sees the change.
    """

    def __init__(self, graph: Graph, parameters: Mapping[str, Array]) -> None:
        self.graph = graph
        self.parameters = parameters
        self.dtype = next(iter(parameters.values())).dtype
        self.plans: dict[Any, Plan] = {}
        self.recorded: dict[Any, RecordedStep | None] = {}

    def rewired(self, graph: Graph, changed: Mapping[str, Array]) -> NumpyEngine:
        """An engine of the same kind for another graph, some of its parameters changed."""
        return NumpyEngine(graph, {**self.parameters, **changed})

    def new_cache(self, *, batch: int) -> KeyValueCache:
        """An empty cache for `batch` texts."""
        return KeyValueCache(self.graph, batch=batch, dtype=self.dtype)

    @quiet
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
        """Run the steps that `outputs` and `keep` need.

        Args:
            inputs: `ids` [batch, position]; `targets` [batch, position] where a loss is asked for,
                −1 where there is none; `positions` [batch, position] unless they count from 0; and
                outputs of steps by name, `[batch, *dims]`, from which the run goes on: what they
                are made of is not computed.
            keep: nothing but the outputs, what a backward pass needs, everything, names, or several
                of these, as `{Keep.BACKWARD, "logits"}`.
            outputs: names of tensors.
            intervene: is handed every output on its way.
            cache: keys and values of what has been read before; the run reads on from there and
                adds its own.
            counts: `[batch]`: how many ids of each text are real; all unless given.
            places: `[batch]`: the one position of each text, counted within `ids`, at which to
                read; all unless given.

        Returns:
            The kept values by name, each `[batch, *dims]`. With `places`, what no other position
            depends on, the logits among it, has a length of 1 along `position` and `query`.
        """
        given = frozenset(inputs).difference(GRAPH_INPUTS)
        steps = self.plan(keep, outputs, given, one_place=places is not None)
        ids = inputs["ids"]
        start = count_up(ids) if cache is None else cache.positions(ids.shape[1])
        values: dict[Any, Any] = {"positions": start, **inputs}
        if self.graph.reads_lengths:
            values["lengths"] = lengths(start, counts)
        if self.graph.reads_step:
            values.setdefault("step", np.zeros_like(ids))
        if places is not None:
            values[PLACES] = places
        for name, pick_inputs, forward, parameters, extras, frees in steps.forward:
            output, more = forward(pick_inputs(values), parameters)
            if cache is not None and name in cache.store:
                output = cache.extend(name, output, start)
            values[name] = instead = output if intervene is None else intervene(name, output)
            if instead is not output:
                # A way back that reads what was made does not mean what was put in.
                values[MADE, name] = output
            if extras:
                values.update(zip(extras, more, strict=True))
            for forgotten in frees:
                del values[forgotten]
        if cache is not None:
            cache.advance(np.full(len(ids), ids.shape[1]) if counts is None else counts, start)
        return Run(steps.backward, values)

    @quiet
    def backward(self, run: Run, *, keep_nodes: Iterable[str] = ()) -> Gradients:
        """Carry d loss / d loss = 1 back through a run that kept what a backward pass needs.

        Args:
            run: from `forward` with `outputs` that name the loss and a `keep` with BACKWARD or
                EVERYTHING.
            keep_nodes: names of tensors whose gradients to keep beside the parameters'; those that
                are on no way to the loss have none.

        Returns:
            Gradients by name.

        Raises:
            PellucidError: a name is none of the graph's.
        """
        kept = {self.graph.resolve(name) for name in keep_nodes}
        # Under None stands what a backward pass does not read.
        values: dict[Any, Any] = {None: None, **run.values}
        nodes: dict[str, Array] = {"loss": np.broadcast_to(np.ones((), self.dtype), 1)}
        parameters: dict[str, Array] = {}
        for step in run.way_back:
            name, pick_inputs, backward, given, output, pick_extras, inputs, shared = step
            grad = nodes[name] if name in kept else nodes.pop(name)
            made = values[output] if (MADE, output) not in values else values[MADE, output]
            to_inputs, to_parameters = backward(
                grad, pick_inputs(values), given, made, pick_extras(values)
            )
            for (to, adds), piece in zip(inputs, to_inputs, strict=True):
                if piece is not None:
                    nodes[to] = nodes[to] + piece if adds else piece
            for (to, adds), piece in zip(shared, to_parameters, strict=True):
                parameters[to] = parameters[to] + piece if adds else piece
        return Gradients(nodes, parameters)

    def loss_and_gradients(
        self, ids: Array, targets: Array, out: FlatParameters, *, noise: Array | None = None
    ) -> float:
        """The training step's half: run forwards and backwards, and write the gradients into `out`.

        Args:
            ids: `[batch, position]`.
            targets: `[batch, position]`, −1 where there is none.
            out: overwritten.
            noise: `[batch]`, a key for each text, where the graph has dropout; see `noise_keys`.

        Returns:
            The mean loss over all targets, in nats.
        """
        if noise is not None:
            # What is left out is drawn anew each time, so there is nothing to make again.
            given = {"ids": ids, "targets": targets, "noise": noise}
            return float(self.step(given, out, out.buffer)[0])
        key = (ids.shape, id(out))
        if key not in self.recorded:
            self.recorded[key] = self.record(ids, targets, out)
        recorded = self.recorded[key]
        if recorded is not None:
            return recorded.again(ids, targets)
        return float(self.step({"ids": ids, "targets": targets}, out, out.buffer)[0])

    def step(self, given: Mapping[str, Array], out: FlatParameters, buffer: Array) -> Array:
        """Forwards and backwards; the gradients go to `buffer` in the order of `out`.

        Returns:
            The mean loss, [1].
        """
        run = self.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
        gradients = self.backward(run).parameters
        np.concatenate([gradients[name].ravel() for name in out.views], out=buffer)
        return run["loss"]

    def record(self, ids: Array, targets: Array, out: FlatParameters) -> RecordedStep | None:
        """A step of these shapes to be made again, or None where that does not pay or cannot be."""
        work = len(ids) * self.graph.flops(ids.shape[1])
        if work > MOST_TO_RECORD or len(self.recorded) >= MOST_RECORDINGS:
            return None
        recording = Recording()
        watch = recording.watch
        given = {name: x.copy() for name, x in (("ids", ids), ("targets", targets))}
        given["positions"] = count_up(ids).copy()
        watching = NumpyEngine(self.graph, {n: watch(p) for n, p in self.parameters.items()})
        try:
            watched = {name: watch(x) for name, x in given.items()}
            loss = watching.step(watched, out, watch(out.buffer))
        except UnrecordableError:
            return None
        return RecordedStep(recording, given["ids"], given["targets"], plain(loss), out)

    def plan(
        self,
        keep: Keep | Iterable[str | Keep],
        outputs: Iterable[str],
        given: frozenset[str],
        *,
        one_place: bool = False,
    ) -> Plan:
        what = (frozenset([keep] if isinstance(keep, Keep) else keep), tuple(outputs))
        key = (*what, given, one_place)
        if key not in self.plans:
            ready = plan(
                self.graph, self.parameters, self.dtype, *what, given=given, one_place=one_place
            )
            self.plans[key] = ready
        return self.plans[key]


def lengths(positions: Array, counts: Array | None) -> Array:
    """How many positions each text has with this run, `[batch]`."""
    found: Array = positions[:, 0] + (positions.shape[1] if counts is None else counts)
    return found


def count_up(ids: Array) -> Array:
    """Positions from 0, for every text of the batch: `[batch, position]`."""
    return np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
