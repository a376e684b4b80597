"""`pellucid.pair`: one model reads two prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pellucid.analysis.alignment import align
from pellucid.analysis.pair import Pair
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.trace.trace import Trace

Prompt = str | Sequence[int]
"""A text; or token ids, exactly as they are."""


def pair(model: Model, a: Prompt, b: Prompt, *, names: Iterable[str] | None = None) -> Pair:
    """Read two prompts and lay what was computed side by side, token by token.

    Tokens are aligned by their ids (`pellucid.analysis.alignment.align` says how); a token that one
    prompt alone has is shown and not compared.

    Args:
        model: reads both.
        a, b: the prompts, each a text or ids.
        names: the tensors to keep; everything unless given.

    Returns:
        Both traces, `.a` and `.b`; `.slots`, the alignment; `.tensors`, how far apart each tensor
        is; `.shift`, how what comes next differs; and `pair["blocks.0.attn.pattern"]`, a tensor of
        both with its difference.

    Raises:
        PellucidError: the model cannot read one of them (the error says which), or has no tensor
            of such a name.
    """
    kept = None if names is None else [model.graph.resolve(name) for name in names]
    ours, theirs = (read(model, *each, kept) for each in (("a", a), ("b", b)))
    return Pair(ours, theirs, align(ours.ids, theirs.ids))


def read(model: Model, side: str, prompt: Prompt, names: list[str] | None) -> Trace:
    """The trace of one prompt; where there can be none, the error has the side's name."""
    try:
        if isinstance(prompt, str):
            return model.trace(prompt, names=names)
        return model.trace(ids=prompt, names=names)
    except PellucidError as error:
        raise PellucidError(f"{side} cannot be read: {error}") from None
