"""A patching as something to look at: the question, the shares, and the places that matter most."""

from __future__ import annotations

from math import isnan

from pellucid.analysis.agreement import Agreement
from pellucid.analysis.contrast import Contrast
from pellucid.analysis.patching import Patching, Restored
from pellucid.analysis.places import HEADS
from pellucid.ops.figures import figure
from pellucid.views.catalogue.patching import patching, restored
from pellucid.views.labels import label
from pellucid.views.markup import escape
from pellucid.views.scene import Block, Heading, Prose, Table

MOST_NAMED = 4
"""Of positions at which prompts differ, so many are named."""


def patching_blocks(found: Patching, *, top: int = 10) -> tuple[Block, ...]:
    """The prompts and the answers, what each place restores, and the `top` places."""
    return (*question(found), *patching(found), *top_places(found, top))


def agreement_blocks(found: Agreement, *, top: int = 10) -> tuple[Block, ...]:
    """How well an estimate agrees with what was measured, and the `top` places with both."""
    return (*question(found.measured), Prose(verdict(found)), *side_by_side(found, top))


def question(found: Patching) -> tuple[Block, ...]:
    """Which answer is ahead of which after either prompt, and what the numbers are."""
    first, second = (label(token) for token in found.contrast.answer_tokens)
    return (
        Heading(f"Restoring {restored(found)}: {first} against {second}", level=2),
        Prose(
            f"{escape(first)} is ahead of {escape(second)} by **{figure(found.clean)}** logits "
            f"after the clean prompt and by **{figure(found.corrupted)}** after the corrupted one. "
            f"{differing(found.contrast)}{with_a_space(found.contrast)}"
        ),
        Prose(reading(found)),
    )


def differing(contrast: Contrast) -> str:
    """At which positions the prompts differ."""
    sides = zip(contrast.clean, contrast.corrupted, strict=True)
    apart = [place for place, (a, b) in enumerate(sides) if a != b]
    named = [f"{place} ({both_words(contrast, place)})" for place in apart[:MOST_NAMED]]
    more = [f"{len(apart) - MOST_NAMED:,} more"] if len(apart) > MOST_NAMED else []
    where = "position" if len(apart) == 1 else "positions"
    length = f"{len(contrast.clean):,} token{'' if len(contrast.clean) == 1 else 's'}"
    return f"Of {length} the prompts differ at {where} {', '.join([*named, *more])}."


def with_a_space(contrast: Contrast) -> str:
    """That an answer is another token than the one which stands within a text."""
    named = " and ".join(f"`{escape(label(token))}`" for token in contrast.spaced)
    if not named:
        return ""
    others = "is another token" if len(contrast.spaced) == 1 else "are other tokens"
    return f"\n\n{named}, with a space before, {others}."


def both_words(contrast: Contrast, place: int) -> str:
    """The clean and the corrupted token at a position."""
    words = (contrast.clean_tokens[place], contrast.corrupted_tokens[place])
    return " / ".join(f"`{escape(label(word))}`" for word in words)


def reading(found: Patching) -> str:
    """What the numbers are."""
    places = found.places
    tensor = places.rows[0].label
    if len(places.rows) > 1:
        tensor = tensor.replace("blocks.0", "blocks.i", 1)
    together = places.columns == (None,)
    which = f"all {places.dim}s" if together else f"one {places.dim}"
    what = f"{which} of `{escape(tensor)}`{at_positions(found, together=together)}"
    how = "each in a run of its own" if found.method == "runs" else "estimated from one gradient"
    return (
        f"A number is the share of the way from the corrupted to the clean difference that comes "
        f"back with {what} from the clean run, {how}: 0 as corrupted, 1 as clean."
    )


def at_positions(found: Patching, *, together: bool) -> str:
    """At which tokens, where the columns do not say so and it is not at all of them."""
    chosen = found.places.positions
    told = found.places.dim not in HEADS and not together
    if told or len(chosen) == len(found.contrast.clean):
        return ""
    more = [f"{len(chosen) - MOST_NAMED:,} more"] if len(chosen) > MOST_NAMED else []
    where = "position" if len(chosen) == 1 else "positions"
    return f" at {where} {', '.join([*map(str, chosen[:MOST_NAMED]), *more])}"


def top_places(found: Patching, top: int) -> tuple[Table, ...]:
    """The places that move the difference most."""
    rows = [
        (said(found, place), place.value, place.difference)
        for place in found.top(top)
        if place.value
    ]
    if not rows:
        return ()
    first, second = (label(token) for token in found.contrast.answer_tokens)
    note = f"`logits ahead`: {escape(first)} of {escape(second)}, with this place restored."
    return (Table("The largest", ("place", "share", "logits ahead"), tuple(rows), note=note),)


def side_by_side(found: Agreement, top: int) -> tuple[Table, ...]:
    """The places that were measured to matter most, each with its estimate."""
    rows = [
        (said(found.measured, place), place.value, estimate, estimate - place.value)
        for place, estimate in found.top(top)
    ]
    if not rows:
        return ()
    return (Table("The largest", ("place", "measured", "estimated", "error"), tuple(rows)),)


def verdict(found: Agreement) -> str:
    """How well the two agree."""
    size = found.measured.values.size
    if isnan(found.correlation):
        agree = "there is no correlation, as one of the two is the same everywhere"
    else:
        agree = f"correlation **{figure(found.correlation, 3)}**"
    return (
        f"One gradient against {size:,} place{'' if size == 1 else 's'} measured: {agree}; the "
        f"largest error is {figure(found.largest_error, 2)} of the difference."
    )


def said(found: Patching, place: Restored) -> str:
    """A place in words: `blocks.23 head 4`, `blocks.17 position 4 ␣France/␣Italy`."""
    where = place.name if place.layer is None else f"blocks.{place.layer}"
    if place.column is None:
        return where
    dim = found.places.dim
    word = "" if dim in HEADS else f" {label(place.label)}"
    return f"{where} {dim} {place.column}{word}"
