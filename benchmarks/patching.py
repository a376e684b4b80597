"""Patching every head of SmolLM2 135M, against a whole run for each, and the estimate of it."""

from __future__ import annotations

from statistics import median

import numpy as np

import pellucid
from benchmarks.comparison import Comparison, Report, require, take_turns, times_faster
from pellucid.analysis.agreement import Agreement
from pellucid.analysis.patching import Patching
from pellucid.model.inputs import target_id

REPEATS = 2
CLEAN = "The capital city of France is called the city of"
CORRUPTED = "The capital city of Italy is called the city of"
"""Ten tokens each."""
ANSWER = (" Paris", " Rome")
AT_MOST = 60.0
"""Seconds for all heads, on two cores."""
CLOSE = 1e-4
"""How far float32 may take the same difference of logits, of about 10."""


def run() -> Report:
    """Check that both ways find the same, then time them, and the estimate, in turn."""
    try:
        model = pellucid.load("smollm2")
    except pellucid.PellucidError as error:
        return Report([], [], [f"No comparison of patching: {error}"])
    measured = patched(model)
    agreement = measured.agreement(estimated_from_gradient(model))
    seconds = take_turns(
        {
            "ours": lambda: patched(model),
            "whole": lambda: by_whole_runs(model),
            "gradient": lambda: estimated_from_gradient(model),
        },
        repeats=REPEATS,
    )
    layers, heads = measured.differences.shape
    what = f"SmolLM2 135M, {layers} × {heads} heads patched, {len(measured.contrast.clean)} tokens"
    whole = "a whole run for each head"
    return Report(
        [check(measured, by_whole_runs(model))],
        [
            in_seconds(what, whole, seconds["ours"], seconds["whole"]),
            times_faster(
                f"{what}: an estimate from one gradient",
                "patched",
                seconds["gradient"],
                seconds["ours"],
                at_least=None,
            ),
        ],
        [said(agreement)],
    )


def patched(model: pellucid.Model) -> Patching:
    """Every head measured."""
    return pellucid.patch(model, CLEAN, CORRUPTED, answer=ANSWER, places="heads")


def estimated_from_gradient(model: pellucid.Model) -> Patching:
    """Every head estimated."""
    return pellucid.attribution_patching(model, CLEAN, CORRUPTED, answer=ANSWER, places="heads")


def by_whole_runs(model: pellucid.Model) -> np.ndarray:
    """The differences in logits as one would measure them by hand: an edited run for each head."""
    clean = model.trace(CLEAN)
    ids = [target_id(model, answer) for answer in ANSWER]
    found = np.empty((model.config.n_layer, model.config.n_head))
    for layer, head in np.ndindex(found.shape):
        copy = pellucid.copy_from(f"blocks.{layer}.attn.z", clean, head=head)
        logits = model.trace(CORRUPTED, names=["logits"], edits=[copy])["logits"].values[-1]
        found[layer, head] = logits[ids[0]] - logits[ids[1]]
    return found


def check(measured: Patching, whole: np.ndarray) -> str:
    """Both ways find the same differences."""
    apart = float(np.abs(measured.differences - whole).max())
    return require(
        apart <= CLOSE * abs(measured.clean - measured.corrupted),
        f"patching {whole.size} heads of SmolLM2 finds what a whole run for each finds: "
        f"differences of up to {np.abs(whole).max():.1f} logits agree to {apart:.1e}",
    )


def said(agreement: Agreement) -> str:
    """How good the estimate is."""
    return (
        f"The estimate of what each head restores has a correlation of {agreement.correlation:.3f} "
        f"with what was measured; it is wrong by {agreement.largest_error:.2f} of the difference "
        f"at most."
    )


def in_seconds(what: str, yardstick: str, ours: list[float], theirs: list[float]) -> Comparison:
    """How long ours takes, and how many times faster than the yardstick that is."""
    faster = median(theirs) / median(ours)
    result = f"{median(ours):.1f} s ({min(ours):.1f} to {max(ours):.1f}), {faster:.1f}× faster"
    return Comparison(
        what, yardstick, ours, theirs, result, f"≤ {AT_MOST:g} s", median(ours) <= AT_MOST
    )
