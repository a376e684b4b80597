"""What a trace's file says of the run, in its header: read as if anybody could have written it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol

import msgspec

from pellucid import __version__
from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.ops.loss import NO_TARGET
from pellucid.trace.edits import Edit
from pellucid.trace.parameters import Parameters
from pellucid.trace.tensor_file import decode, printable

if TYPE_CHECKING:
    from pellucid.trace.trace import Trace

FORMAT = 1


class About(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What a file says of its trace, beside the tensors.

    `weights` is the digest of the model's parameters, which stay with the model. `written` is there
    where a generation left the trace. The edits put the same steps into the graph again.
    """

    format: int
    pellucid: str
    config: ModelConfig
    dtype: Annotated[str, msgspec.Meta(pattern=r"^float(32|64)\Z")]
    weights: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    ids: Annotated[tuple[int, ...], msgspec.Meta(min_length=1)]
    targets: tuple[int, ...] | None
    tokens: tuple[str, ...]
    vocabulary: tuple[str, ...] | None
    written: tuple[int, ...] | None = None
    edits: tuple[Edit, ...] = ()


class AboutAny(msgspec.Struct, frozen=True):
    """What a file of any format version says."""

    format: int
    pellucid: str = "an unknown version"


class HasParameters(Protocol):
    """A model, as far as a trace asks for it."""

    @property
    def config(self) -> ModelConfig: ...
    @property
    def labelled_parameters(self) -> Parameters: ...


def about_trace(trace: Trace) -> About:
    """What the file shall say of a trace."""
    return About(
        format=FORMAT,
        pellucid=__version__,
        config=trace.config,
        dtype=trace.parameters.dtype,
        weights=trace.parameters.digest,
        ids=trace.ids,
        targets=trace.targets,
        tokens=trace.tokens,
        vocabulary=trace.vocabulary,
        written=trace.written,
        edits=trace.edits,
    )


def read_about(text: str) -> About:
    """What a file says of its trace, if it is of this format."""
    fault = "says nothing readable of its trace"
    known = decode(text, AboutAny, fault)
    if known.format != FORMAT:
        raise PellucidError(
            f"is a trace in format {known.format}, written by Pellucid "
            f"{printable(known.pellucid)}; Pellucid {__version__} reads format {FORMAT}."
        )
    about: About = decode(text, About, fault)
    return about


def check_run(about: About) -> None:
    """Ids, targets and labels fit one another and the config."""
    config, positions = about.config, len(about.ids)
    if positions > config.block_size:
        raise PellucidError(f"is damaged: {positions} tokens, but block_size={config.block_size}.")
    targets = (NO_TARGET,) * positions if about.targets is None else about.targets
    if len(about.tokens) != positions or len(targets) != positions:
        raise PellucidError(
            f"is damaged: {positions} ids, {len(about.tokens)} tokens, {len(targets)} targets."
        )
    if about.written is not None and len(about.written) != positions:
        raise PellucidError(
            f"is damaged: {positions} ids, but {len(about.written)} of them were written."
        )
    known = range(config.vocab_size)
    for i in (*about.ids, *(t for t in targets if t != NO_TARGET)):
        if i not in known:
            raise PellucidError(f"is damaged: id {i}, but vocab_size={config.vocab_size}.")
    if about.vocabulary is not None and len(about.vocabulary) != config.vocab_size:
        raise PellucidError(
            f"is damaged: {len(about.vocabulary)} labels, but vocab_size={config.vocab_size}."
        )
    for label in (*about.tokens, *(about.vocabulary or ())):
        # A terminal obeys control characters; labels that Pellucid makes have none.
        if not label.isprintable():
            raise PellucidError(f'is damaged: the label "{printable(label)}" cannot be printed.')


def check_model(about: About, model: HasParameters) -> None:
    """The model is the one that made the trace."""
    theirs, ours = about.config.to_dict(), model.config.to_dict()
    apart = [
        f"{name}={theirs[name]}, not {ours[name]}" for name in ours if theirs[name] != ours[name]
    ]
    if apart:
        raise PellucidError(f"is a trace of another model: {'; '.join(apart[:3])}.")
    parameters = model.labelled_parameters
    if about.dtype != parameters.dtype:
        raise PellucidError(
            f"is a trace in {about.dtype}, and this model computes in {parameters.dtype}: "
            f'give it model.astype("{about.dtype}").'
        )
    if about.weights != parameters.digest:
        raise PellucidError(
            f"is a trace of a model with other weights: their digest is {about.weights[:12]}…, "
            f"this model's {parameters.digest[:12]}…. Give it the model that made it."
        )
