"""Greedy decoding of the GPT-2 shape, token by token, against Hugging Face's `generate`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np

import pellucid
from benchmarks.comparison import Comparison, Report, require, take_turns, times_faster
from pellucid.decoder.presets import preset

REPEATS = 5
PROMPT, COUNT = 32, 48
"""Tokens that are given, and tokens that are added."""
TEXTS = 4
AT_LEAST = 1.5

Generate = Callable[[np.ndarray, int], np.ndarray]
"""(ids [text, position], count) → so many ids more, [text, count]."""


def run() -> Report:
    """Check that both write the same, then time one text, and several side by side, in turn."""
    if not find_spec("transformers"):
        return Report([], [], ["`transformers` is not installed: no comparison of decoding."])
    from benchmarks.yardsticks import hugging_face, hugging_face_gpt2

    model = pellucid.Model.from_config(preset("gpt2"), seed=0, dtype="float32")
    theirs = hugging_face_gpt2.model_of(model.config, model.parameters)
    contestants: dict[str, Generate] = {
        "ours": partial(greedily, model),
        "hugging face": hugging_face.greedy_of(theirs),
    }
    checks, comparisons = [], []
    for texts in (1, TEXTS):
        ids = np.random.default_rng(0).integers(0, model.config.vocab_size, (texts, PROMPT))
        checks.append(check(contestants, ids))
        comparisons.append(compare(contestants, ids))
    return Report(checks, comparisons, [speeds(comparisons)])


def greedily(model: pellucid.Model, ids: np.ndarray, count: int) -> np.ndarray:
    """What Pellucid adds to each text."""
    texts = model.generate(ids=ids.tolist(), max_new_tokens=count).finish().texts
    return np.array([text.new_ids for text in texts])


def check(contestants: dict[str, Generate], ids: np.ndarray) -> str:
    """Both write the same tokens."""
    ours, theirs = (generate(ids, COUNT) for generate in contestants.values())
    return require(
        ours.shape == (len(ids), COUNT) and np.array_equal(ours, theirs),
        f"Pellucid and Hugging Face add the same {COUNT} tokens to {words(len(ids))}",
    )


def compare(contestants: dict[str, Generate], ids: np.ndarray) -> Comparison:
    """Time both on these texts; several are held to nothing."""
    seconds = take_turns(
        {name: partial(generate, ids, COUNT) for name, generate in contestants.items()},
        repeats=REPEATS,
    )
    return times_faster(
        f"GPT-2 124M, {COUNT} tokens added to {words(len(ids))} of {PROMPT}",
        "Hugging Face `generate`, greedy, with its cache",
        seconds["ours"],
        seconds["hugging face"],
        at_least=AT_LEAST if len(ids) == 1 else None,
    )


def words(texts: int) -> str:
    """So many texts, in words."""
    return "one text" if texts == 1 else f"{texts} texts"


def speeds(comparisons: list[Comparison]) -> str:
    """Tokens per second of both."""
    pairs = [
        " and ".join(f"{texts * COUNT / np.median(s):.1f}" for s in (each.ours, each.theirs))
        for texts, each in zip((1, TEXTS), comparisons, strict=True)
    ]
    return f"Decoding, tokens/s of Pellucid and Hugging Face: {'; '.join(pairs)}."
