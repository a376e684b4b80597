"""Continuing texts with a model: from what a user asks for to the loop that does it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation
from pellucid.generation.generation import Generation
from pellucid.generation.loop import generate
from pellucid.generation.reader import CachedReader
from pellucid.generation.sampling import Sampling, is_whole
from pellucid.generation.traced import TracedReader
from pellucid.model import inputs
from pellucid.model.transcript import Transcript
from pellucid.trace.edited_steps import EditedSteps
from pellucid.trace.edits import Edit

if TYPE_CHECKING:
    from pellucid.model.model import Model


def start_generation(
    model: Model,
    prompts: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    sampling: Sampling,
    stop: str | Iterable[str],
    stop_ids: Iterable[int],
    samples: int,
    seed: int,
    trace: bool,
    edits: Iterable[Edit] = (),
) -> Generation:
    """A generation that has taken no step yet; see `Model.generate`.

    Args:
        model: what reads.
        prompts: ids of each.
        max_new_tokens, stop, stop_ids, samples, seed, trace, edits: as there.
        sampling: how a token is chosen.

    Raises:
        PellucidError: an option out of range, stop strings without a tokenizer, a trace of more
            than one text, or an edit that cannot be made.
    """
    for name, value, least in (("samples", samples, 1), ("seed", seed, 0)):
        if not is_whole(value) or value < least:
            raise PellucidError(
                f"{name}={value!r} is not possible: give a whole number, {least} or more."
            )
    if trace and len(prompts) * samples != 1:
        raise PellucidError(
            f"trace=True keeps what one text leaves; these are {len(prompts) * samples}: "
            "give one prompt and samples=1."
        )
    transcript = transcript_maker(model, [stop] if isinstance(stop, str) else list(stop))
    texts = [
        Continuation(
            ids, number=i * samples + k, seed=seed + k, transcript=transcript and transcript(ids)
        )
        for i, ids in enumerate(prompts)
        for k in range(samples)
    ]
    edited = EditedSteps(
        edits,
        model.engine,
        model.graph,
        model.labelled_parameters,
        prompts=[model.labels(ids[-model.config.block_size :]) for ids in prompts],
    )
    traced = traced_reader(model, edited) if trace else None
    steps = generate(
        traced or CachedReader(model.engine, n_tokens=model.n_tokens, edited=edited),
        texts,
        block_size=model.config.block_size,
        max_new_tokens=max_new_tokens,
        sampling=sampling,
        stop_ids=end_ids(model) | set(inputs.check_ids(model, list(stop_ids), 1).tolist()),
        never=never_ids(model),
        label=lambda i: model.labels([i])[0],
    )
    return Generation(steps, texts, traced=traced, edits=edited.edits)


def transcript_maker(
    model: Model, stop: Collection[str]
) -> Callable[[Sequence[int]], Transcript] | None:
    """What makes a transcript for a prompt's ids; None where ids have no text."""
    if model.tokenizer is None and not stop:
        return None
    tokenizer = inputs.need_tokenizer(model)
    return lambda ids: Transcript(tokenizer, ids, stop=stop)


def traced_reader(model: Model, edited: EditedSteps) -> TracedReader:
    """What reads one text and keeps everything."""
    if edited.changes_parameters:
        raise PellucidError(
            "A trace has one set of parameters: edit them at all steps, or leave trace=True out."
        )
    return TracedReader(
        edited.at(0),
        config=model.config,
        parameters=edited.parameters,
        edits=edited.edits,
        reads_on=edited.causal,
        vocabulary=model.vocabulary,
        labels=model.labels,
        n_tokens=model.n_tokens,
    )


def end_ids(model: Model) -> set[int]:
    """The tokens at which the tokenizer's settings say that a text is over."""
    return set() if model.tokenizer is None else set(model.tokenizer.end_ids)


def never_ids(model: Model) -> set[int]:
    """Tokens that stand for nothing in the middle of a text: padding and start.

    A token that is the end token too, as GPT-2's only special one is, may be chosen.
    """
    tokenizer = model.tokenizer
    special = () if tokenizer is None else (tokenizer.pad_id, tokenizer.start_id)
    return {id for id in special if id is not None} - end_ids(model)
