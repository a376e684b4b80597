"""Generations by models small enough to be read off a table."""

import numpy as np

from pellucid.generation.continuation import Continuation
from pellucid.generation.loop import generate
from pellucid.generation.sampling import Sampling

VOCAB = 24
BIGRAM = np.random.default_rng(0).standard_normal((VOCAB, VOCAB)).astype(np.float32)
"""The logits of the next id for each last id."""


def bigram(window):
    return BIGRAM[window[-1]]


def whole_window(window):
    """Logits that depend on every id of the window and on where it stands."""
    places = np.arange(1, len(window) + 1)
    return np.sin(np.outer(np.arange(VOCAB), np.array(window) * places)).sum(axis=1)


def steps_of(model=bigram, *texts, **options):
    """The steps of these texts, by a model that reads a window at a time."""

    def read(windows):
        return {number: model(list(window)) for number, window in windows.items()}

    settings = {"block_size": 6, "max_new_tokens": 20, "sampling": Sampling(), **options}
    return generate(read, texts, **settings)


def run(model=bigram, ids=(1,), *, seed=0, **options):
    """All steps of one text."""
    return list(steps_of(model, Continuation(ids, seed=seed), **options))


def ids_of(steps):
    return [step.id for step in steps]
