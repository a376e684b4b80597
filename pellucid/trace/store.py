"""Traces on disk: one safetensors file, whose header says of what run its tensors are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import Graph
from pellucid.decoder.parameters import ParameterSpec, parameter_specs
from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.ops.operation import Array
from pellucid.trace.about import (
    About,
    HasParameters,
    about_trace,
    check_model,
    check_run,
    read_about,
)
from pellucid.trace.budget import sizes_of
from pellucid.trace.editing import Editing
from pellucid.trace.parameters import AbsentParameters
from pellucid.trace.tensor_file import DTYPES, StoredTensors, TensorFile, printable
from pellucid.trace.trace import Trace

KEY = "pellucid.trace"
"""Under this name the header's metadata hold what is known of the run, in JSON."""
GRADIENT = "grad."
"""Stands before the name of a tensor or parameter whose gradient is stored."""


def save(trace: Trace, path: str | Path, *, names: Iterable[str] | None = None) -> Path:
    """Write a trace into one file, which is whole before it takes its name; see `Trace.save`."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    path = Path(path)
    about = msgspec.json.encode(about_trace(trace)).decode()
    arrays = {name: np.asarray(array, order="C") for name, array in select(trace, names).items()}
    try:
        write_whole(path, lambda draft: save_file(arrays, draft, {KEY: about}))
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PellucidError(f"{path} cannot be written: {reason}.") from None
    return path


def select(trace: Trace, names: Iterable[str] | None) -> dict[str, Array]:
    """The arrays to store, by the name under which they are stored."""
    chosen = {*trace.values, *trace.gradients}
    if names is not None:
        chosen = {trace.resolve(name) for name in names}
        for name in chosen:
            if name not in trace.values and name not in trace.gradients:
                raise PellucidError(
                    f"{name} cannot be stored: this trace has neither its values nor its gradient."
                )
        chosen |= set() if trace.targets is None else {"loss"}
    values = {name: trace.values[name] for name in trace.values if name in chosen}
    back = {GRADIENT + name: trace.gradients[name] for name in trace.gradients if name in chosen}
    return values | back


def load(path: str | Path, *, model: HasParameters | None = None) -> Trace:
    """Open a trace's file; see `Trace.load`."""
    file = TensorFile.open(path)
    try:
        about = read_about(find_about(file))
        specs = parameter_specs(build_graph(about.config))
        check_run(about)
        if model is not None:
            check_model(about, model)
        edited = put_in_again(about, specs, model)
        graph = edited.graph
        check_tensors(file, about, graph, specs)
    except PellucidError as error:
        raise PellucidError(f"{file.path} {error}") from None
    gradients = [name for name in (*graph.facts, *specs) if GRADIENT + name in file.entries]
    return Trace(
        config=about.config,
        graph=graph,
        parameters=edited.parameters,
        ids=about.ids,
        tokens=about.tokens,
        vocabulary=about.vocabulary,
        values=StoredTensors(file, {name: name for name in graph.facts if name in file.entries}),
        targets=about.targets,
        gradients=StoredTensors(file, {name: GRADIENT + name for name in gradients}),
        written=about.written,
        edits=edited.edits,
    )


def put_in_again(
    about: About, specs: Mapping[str, ParameterSpec], model: HasParameters | None
) -> Editing:
    """The graph of a run with its edits, and its parameters, if the model is at hand."""
    absent = AbsentParameters(specs, about.vocabulary, dtype=about.dtype, digest=about.weights)
    parameters = absent if model is None else model.labelled_parameters
    graph = build_graph(about.config)
    return Editing.of(about.edits, graph, parameters, tokens=about.tokens)


def find_about(file: TensorFile) -> str:
    """The part of a file's metadata that speaks of a trace."""
    if KEY not in file.metadata:
        raise PellucidError(
            f'is a safetensors file, but not a trace: its header has no "{KEY}". '
            f"Traces are written by trace.save(path)."
        )
    return file.metadata[KEY]


def check_tensors(
    file: TensorFile, about: About, graph: Graph, specs: Mapping[str, ParameterSpec]
) -> None:
    """Every stored tensor is one that such a run leaves, of its shape and dtype."""
    sizes = sizes_of(graph, len(about.ids))
    back = about.targets is not None
    shapes = {
        name: tuple(sizes[dim] for dim in fact.dims)
        for name, fact in graph.facts.items()
        if back or not name.startswith("loss")
    }
    if back:
        learned = {name: spec.shape for name, spec in specs.items()}
        shapes |= {GRADIENT + name: shape for name, shape in (shapes | learned).items()}
    for name, entry in file.entries.items():
        if name not in shapes:
            raise PellucidError(f'holds "{printable(name)}", which is no tensor of its run.')
        if entry.shape != shapes[name] or DTYPES[entry.dtype].name != about.dtype:
            raise PellucidError(
                f"is damaged: {name} is {list(entry.shape)} in {DTYPES[entry.dtype].name}, but its "
                f"run makes {list(shapes[name])} in {about.dtype}."
            )
    if back and "loss" not in file.entries:
        raise PellucidError("is damaged: it has a target, but no loss.")
