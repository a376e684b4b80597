"""One forward pass of the GPT-2 shape, traced and untraced, against NumPy and Hugging Face."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np

import pellucid
from benchmarks.comparison import (
    Comparison,
    Report,
    require,
    share_of_time,
    take_turns,
    times_faster,
)
from benchmarks.yardsticks import numpy_gpt
from pellucid.decoder.presets import preset

REPEATS = 15
TRACED_SHARE_OF_HUGGING_FACE = {8: 0.6, 32: 0.8, 128: 1.0}
TOLERANCE = 1e-4

Forward = Callable[[np.ndarray], np.ndarray]


def run() -> Report:
    """Check that all give the same logits, then time each length in turn."""
    model = pellucid.Model.from_config(preset("gpt2"), seed=0, dtype="float32")
    weights = numpy_gpt.weights_of(
        model.parameters, n_layer=model.config.n_layer, n_head=model.config.n_head
    )
    forwards: dict[str, Forward] = {
        "untraced": model.logits,
        "traced": lambda ids: model.trace(ids=ids[0].tolist())["logits"].values[None],
        "numpy": lambda ids: numpy_gpt.gpt(ids, weights),
    }
    notes = []
    if find_spec("transformers"):
        from benchmarks.yardsticks import hugging_face, hugging_face_gpt2

        theirs = hugging_face_gpt2.model_of(model.config, model.parameters)
        forwards["hugging face"] = hugging_face.forward_of(theirs)
    else:
        notes.append("`transformers` is not installed: no comparison with Hugging Face.")
    checks, comparisons = [], []
    for length in TRACED_SHARE_OF_HUGGING_FACE:
        ids = np.random.default_rng(length).integers(0, model.config.vocab_size, (1, length))
        checks.append(check(forwards, ids))
        comparisons += compare(forwards, ids)
    return Report(checks, comparisons, notes)


def check(forwards: dict[str, Forward], ids: np.ndarray) -> str:
    """Every contestant gives the same float32 logits, to rounding."""
    logits = {name: forward(ids) for name, forward in forwards.items()}
    largest = float(np.abs(logits["untraced"]).max())
    apart = max(float(np.abs(other - logits["untraced"]).max()) for other in logits.values())
    return require(
        all(each.dtype == np.float32 for each in logits.values()) and apart < TOLERANCE * largest,
        f"{ids.shape[1]} tokens: the float32 logits of {', '.join(logits)} differ by at most "
        f"{apart:.1e}, the largest being {largest:.2f}",
    )


def compare(forwards: dict[str, Forward], ids: np.ndarray) -> list[Comparison]:
    """Time all contestants on one text, ids [1, position]."""
    contestants = {name: partial(forward, ids) for name, forward in forwards.items()}
    seconds = take_turns(contestants, repeats=REPEATS)
    length = ids.shape[1]
    traced, untraced = seconds["traced"], seconds["untraced"]
    what = f"GPT-2 124M forward, {length} tokens"
    straight = "straightforward NumPy, float32"
    comparisons = [
        times_faster(f"{what}, untraced", straight, untraced, seconds["numpy"], at_least=2),
        times_faster(f"{what}, traced", straight, traced, seconds["numpy"], at_least=None),
        share_of_time(f"{what}, traced", "the same, untraced", traced, untraced, at_most=1.25),
    ]
    if "hugging face" in seconds:
        share = TRACED_SHARE_OF_HUGGING_FACE[length]
        peer, peers = "Hugging Face forward, untraced", seconds["hugging face"]
        comparisons.append(share_of_time(f"{what}, traced", peer, traced, peers, at_most=share))
    return comparisons
