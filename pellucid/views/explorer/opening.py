"""How a page opens: with the edits of its trace, and with the target that gives it gradients."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec

from pellucid.errors import PellucidError
from pellucid.trace.edits import Edit
from pellucid.trace.edits_json import edits_to_json
from pellucid.trace.parameters import EditedParameters, Parameters
from pellucid.trace.trace import Trace


def opening(trace: Trace) -> str:
    """What stands behind the `#` of a page's address, so that its first run is the trace.

    Raises:
        PellucidError: as `own_edits`.
    """
    said: dict[str, str] = {}
    if edits := own_edits(trace):
        said["edits"] = edits_to_json(edits)
    if (target := target_of(trace)) is not None:
        said["target"] = str(target)
    return urlencode(said)


def own_edits(trace: Trace) -> tuple[Edit, ...]:
    """The edits of a trace, as edits of a run by itself: step 0 of a generation.

    Raises:
        PellucidError: a generation left the trace, and edits are of single steps of it.
    """
    if trace.written is not None and any(edit.steps is not None for edit in trace.edits):
        raise PellucidError(
            "This trace has edits at single steps of a generation, which a page cannot repeat: "
            "take the trace of a prompt, or edits at all steps."
        )
    return tuple(
        msgspec.structs.replace(edit, steps=None)
        for edit in trace.edits
        if edit.steps is None or 0 in edit.steps
    )


def target_of(trace: Trace) -> int | None:
    """The token that should come after the text; None without one, or with others before it."""
    if trace.targets is None or any(target >= 0 for target in trace.targets[:-1]):
        return None
    return trace.targets[-1] if trace.targets[-1] >= 0 else None


def own_parameters(trace: Trace) -> Parameters:
    """The model's own parameters, whatever edits made of them for this run."""
    parameters = trace.parameters
    return parameters.original if isinstance(parameters, EditedParameters) else parameters
