"""`pellucid.compare`: two traces, two models on a prompt, or a run and another program's arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pellucid.errors import PellucidError
from pellucid.model.array_files import metadata, read_arrays
from pellucid.model.folder import load
from pellucid.model.model import Model
from pellucid.trace.compare import compare_arrays, compare_traces
from pellucid.trace.comparison import Comparison
from pellucid.trace.edits import Edit
from pellucid.trace.recognise import IDS, read_array
from pellucid.trace.store import KEY
from pellucid.trace.trace import Trace

Side = Trace | Model | Mapping[str, Any] | str | Path
"""A trace; a model, or the path of its folder; arrays by name, or the path of their file."""


def compare(
    a: Side,
    b: Side,
    *,
    prompt: str | None = None,
    ids: Sequence[int] | None = None,
    edits: Iterable[Edit] = (),
    names: Mapping[str, str] | None = None,
    rerun: bool = False,
) -> Comparison:
    """Find the first tensor in which two runs over the same tokens differ by more than rounding.

    Args:
        a: a trace, or a model; or the path of either.
        b: the same; or arrays that another program computed, by our names (aliases are accepted),
            or the path of a `.npz` or `.safetensors` file of them. Dims of size 1 may be missing.
        prompt: what models read. Without it, and without ids, they read the tokens of the trace on
            the other side, or the array "ids" of the other program.
        ids: token ids instead, exactly as they are.
        edits: changes to the run of b, which is then a model.
        names: our name for theirs, for arrays under other names.
        rerun: whether the steps are run again in float64 for runs with other edits too, whose
            differences the graph explains; for all others they are, wherever there are weights.

    Returns:
        Each tensor's difference in the order of the graph, `.first` that is more than noise, and
        a `.verdict`, reached by running each step again in float64 wherever there are weights:
        "equal", bit for bit; "noise", which rounding explains; "edited", one model, and the edits
        of the runs explain all else; "different", two models whose weights or configs differ and
        whose own steps are right, each by its own weights; or "fault", a step that is wrong by
        itself. Where they differ, `.shift` says how what comes next does.

    Raises:
        PellucidError: a path leads nowhere, there is nothing for a model to read, a model cannot
            read it (the error says whether it is a or b), the two read different tokens, an array
            is not what it is named, or there is nothing in common.
    """
    left, edits = opened(a), tuple(edits)
    # One path is one model: opened once, its weights need not be held against themselves.
    right = left if isinstance(b, str | Path) and a == b else opened(b)
    if isinstance(left, Mapping):
        raise PellucidError(
            "Arrays alone say nothing of their order: give a trace or a model first, then them."
        )
    if names and not isinstance(right, Mapping):
        raise PellucidError("Names are for arrays of another program; b has ours already.")
    if edits and not isinstance(right, Model):
        raise PellucidError("Edits are for a run, and b has been run already: give a model as b.")
    if prompt is None and ids is None:
        ids = tokens_of(left, right, names or {})
    elif not isinstance(left, Model) and not isinstance(right, Model):
        raise PellucidError("A trace has its tokens already: leave the prompt and the ids out.")
    ours = traced("a", left, prompt, ids)
    if isinstance(right, Mapping):
        return compare_arrays(ours, right, names)
    if isinstance(right, Model) and right.tokenizer is None:
        prompt, ids = None, ours.ids
    return compare_traces(ours, traced("b", right, prompt, ids, edits), rerun=rerun)


def opened(side: Side) -> Trace | Model | Mapping[str, Any]:
    """A side that may have been given as a path."""
    if isinstance(side, Trace | Model | Mapping):
        return side
    path = Path(side)
    try:
        is_file = path.is_file()
    except OSError as error:
        raise PellucidError(f"{side} cannot be read: {error.strerror}.") from None
    if not is_file:
        return load(side)
    if path.suffix == ".safetensors" and KEY in metadata(path):
        return Trace.load(path)
    return read_arrays(path)


def tokens_of(
    left: Trace | Model, right: Trace | Model | Mapping[str, Any], names: Mapping[str, str]
) -> Sequence[int] | None:
    """The ids that one of the sides says it has read."""
    for side in (left, right):
        if isinstance(side, Trace):
            return side.ids
    if isinstance(right, Mapping):
        theirs = next((name for name, ours in names.items() if ours == IDS), IDS)
        if theirs in right:
            ids: list[int] = read_array(theirs, right[theirs]).ravel().tolist()
            return ids
    return None


def traced(
    name: str,
    side: Trace | Model,
    prompt: str | None,
    ids: Sequence[int] | None,
    edits: Sequence[Edit] = (),
) -> Trace:
    """A trace, made if need be; where it cannot be, the error has the `name` of the side."""
    if isinstance(side, Trace):
        return side
    if prompt is None and ids is None:
        raise PellucidError("There is nothing for the model to read: give a prompt or ids.")
    try:
        return side.trace(prompt, ids=ids, edits=edits)
    except PellucidError as error:
        raise PellucidError(f"{name} cannot read this: {error}") from None
