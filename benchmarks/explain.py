"""Explaining one number of the GPT-2 124M shape, once its trace exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

import pellucid
from benchmarks.comparison import Comparison, Report, require, seconds_beyond, take_turns
from pellucid.decoder.presets import preset
from pellucid.trace.explanation import Explanation
from pellucid.trace.trace import Trace
from pellucid.views import terminal

REPEATS = 15
LENGTH = 32
AT_MOST = 0.05
LARGEST = 8
"""How many contributions are looked at, as they would be shown."""

VALUES: dict[str, dict[str, int]] = {
    "embed.out": {"position": 5, "d_model": 100},
    "blocks.11.norm1.rstd": {"position": 5},
    "blocks.11.attn.scores": {"head": 3, "query": 20, "key": 5},
    "blocks.11.attn.z": {"head": 3, "position": 20, "d_head": 7},
    "blocks.11.mlp.out": {"position": 5, "d_model": 100},
    "logits": {"position": 5, "vocab": 1000},
    "probs.sum": {"position": 5},
    "loss.per_position.log_sum": {"position": 5},
}
"""What is explained: sums of 2 numbers up to those of a whole vocabulary."""
GRADIENTS: dict[str, dict[str, int]] = {
    "final_norm": {"position": 5, "d_model": 100},
    "blocks.11.resid_mid": {"position": 5, "d_model": 100},
    "blocks.0.attn.w_q": {"d_model": 100, "d_attn": 7},
    "token_embedding": {"vocab": 1000, "d_model": 100},
}


def run() -> Report:
    """Check that every explanation holds, then time each, forgotten in between."""
    model = pellucid.Model.from_config(preset("gpt2"), seed=0, dtype="float32")
    ids = np.random.default_rng(0).integers(0, model.config.vocab_size, LENGTH)
    ids[5] = 1000
    trace = model.trace(ids=ids.tolist(), target="next")
    asked = {f"explaining {name}": partial(value, name) for name in VALUES}
    asked |= {f"explaining the gradient of {name}": partial(gradient, name) for name in GRADIENTS}
    checks = [check({what: explain(trace) for what, explain in asked.items()})]
    contestants: dict[str, Callable[[], object]] = {
        what: partial(explain_anew, explain, trace) for what, explain in asked.items()
    }
    cell = VALUES["logits"]
    contestants["explaining a logit, two levels printed"] = lambda: terminal.to_text(
        forgetful(trace).explain("logits", **cell), width=80
    )
    return Report(checks, compare(trace, contestants))


def value(name: str, trace: Trace) -> Explanation:
    """How the cell was made that is chosen of a tensor."""
    return trace.explain(name, **VALUES[name])


def gradient(name: str, trace: Trace) -> Explanation:
    """Where the gradient came from of the cell that is chosen of a tensor."""
    return trace.explain_grad(name, **GRADIENTS[name])


def explain_anew(explain: Callable[[Trace], Explanation], trace: Trace) -> object:
    """Explain, as if for the first time, and look at it."""
    return look_at(explain(forgetful(trace)))


def forgetful(trace: Trace) -> Trace:
    """The same trace, with no explanation of it worked out yet."""
    return replace(trace, memory={})


def look_at(explanation: Explanation) -> object:
    """Everything that one explanation is shown with."""
    return (
        explanation.error <= explanation.tolerance,
        explanation.contributions[:LARGEST],
        explanation.terms[:LARGEST],
        explanation.substituted,
    )


def check(explanations: dict[str, Explanation]) -> str:
    """Every value is worked out again to rounding."""
    parts = [each.error / each.tolerance for each in explanations.values()]
    terms = [len(each.terms) for each in explanations.values()]
    return require(
        max(parts) <= 1,
        f"{len(parts)} explanations, of {min(terms)} to {max(terms):,} terms, agree with the "
        f"trace: the largest error is {max(parts):.2f} of what rounding allows",
    )


def compare(trace: Trace, contestants: dict[str, Callable[[], object]]) -> list[Comparison]:
    """Each beside looking the same trace's logit up."""
    where = tuple(VALUES["logits"].values())
    lookup: dict[str, Callable[[], object]] = {
        "lookup": lambda: float(forgetful(trace)["logits"].values[where])
    }
    seconds = take_turns(lookup | contestants, repeats=REPEATS)
    bare = seconds.pop("lookup")
    yardstick = f"looking a number up, GPT-2 124M, {LENGTH} tokens"
    return [
        seconds_beyond(what, yardstick, times, bare, at_most=AT_MOST)
        for what, times in seconds.items()
    ]
