"""What the heads of a model do, by where they look in a text that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pellucid.analysis.head_kinds import KINDS, share_by_chance, share_of_attention
from pellucid.analysis.head_summary import HeadSummary
from pellucid.analysis.repeated_tokens import repeated_tokens, start_of
from pellucid.errors import PellucidError
from pellucid.model import inputs
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.trace.editing import Editing
from pellucid.trace.edits import Edit

THRESHOLD = 0.4
"""From this share of its attention on a head is called by what it looks at."""


def heads(
    model: Model,
    prompt: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    length: int | None = None,
    texts: int = 4,
    seed: int = 0,
    threshold: float = THRESHOLD,
    edits: Iterable[Edit] = (),
) -> HeadSummary:
    """Find previous-token, first-token, duplicate-token and induction heads.

    A head is measured by the mean share of its attention that it gives to where such a head would
    look. Without a prompt the test text is random tokens, each once, and then the same again: what
    stands where in the second half can be known from the first half alone.

    Args:
        model: whose heads.
        prompt: a text of one's own, in which tokens should occur more than once.
        ids: token ids instead.
        length: of the random tokens, before they are repeated: 25 unless given, or as many as the
            context and the vocabulary have room for.
        texts: how many such texts are read.
        seed: of the random tokens.
        threshold: from which share on a head is named.
        edits: changes to the runs, as `Model.trace` takes them.

    Raises:
        PellucidError: the text is longer than the context, or the context too short for a test.
    """
    if not 0 < threshold <= 1:
        raise PellucidError(f"threshold={threshold} is no share: give a number from 0 to 1.")
    if prompt is None and ids is None:
        read = repeated_tokens(model, length=length, texts=texts, seed=seed)
        said = what_was_drawn(model, read, seed)
    else:
        read = np.array([inputs.read_prompt(model, prompt, ids)])
        said = f"{read.shape[1]} tokens of a text that was given"
    names = [f"blocks.{block}.attn.pattern" for block in range(model.config.n_layer)]
    tokens = model.labels(read[0].tolist())
    edited = Editing.of(edits, model.graph, model.labelled_parameters, tokens=tokens)
    run = edited.engine(model.engine).forward({"ids": read}, outputs=names)
    places = {kind: KINDS[kind].places(read) for kind in KINDS}
    shares = {
        kind: np.array([share_of_attention(run[name], where) for name in names])
        for kind, where in places.items()
    }
    return HeadSummary(
        shares=shares,
        by_chance={kind: share_by_chance(where) for kind, where in places.items()},
        ids=read,
        text=said,
        tokens=tokens,
        threshold=threshold,
        edits=edited.edits,
    )


def what_was_drawn(model: Model, read: Array, seed: int) -> str:
    """The test text in words."""
    length = (read.shape[1] - len(start_of(model))) // 2
    times = "once" if len(read) == 1 else f"for {len(read)} texts"
    return f"{length} random tokens and the same {length} again, drawn {times} with seed {seed}"
