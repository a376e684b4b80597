"""What a model of running text has to beat: the entropies of the text itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from pellucid.errors import PellucidError
from pellucid.text.mapped import Run, chunks

Counts = npt.NDArray[np.int64]

PAIRS_AT_A_TIME = 1 << 21
"""How many different pairs are counted in one reading: what bounds the memory."""


@dataclass(frozen=True)
class Baselines:
    """Entropies of running text in nats per token.

    `uniform` is ln(vocab_size), `unigram` H(token) and `bigram` H(next | token): the lowest mean
    loss of a model that knows nothing, the frequency of each token, or how often each follows each.
    """

    uniform: float
    unigram: float
    bigram: float


def baselines(ids: Run, *, vocab_size: int) -> Baselines:
    """Return the entropies of `ids` [position], which may be a mapped file larger than memory.

    They are those of the text's own frequencies: H(token) = −Σ n(t)/N · ln(n(t)/N) over the
    targets, which are all ids but the first, and H(next | token) = H(token, next) − H(token), the
    chain rule (Cover and Thomas, Elements of Information Theory, section 2.2). A short text has
    each pair so rarely that the last says little about any other text. Raises `PellucidError` for
    fewer than two ids.
    """
    if len(ids) < 2:
        raise PellucidError(
            f"The text has {len(ids)} tokens; a token and the next take at least 2."
        )
    n = len(ids) - 1
    before, after = _occurrences(ids[:-1], vocab_size), _occurrences(ids[1:], vocab_size)
    pairs = sum(_n_log_n(occurrences) for occurrences in _pairs(ids, before))
    return Baselines(
        uniform=log(vocab_size),
        unigram=log(n) - _n_log_n(after) / n,
        bigram=max(0.0, (_n_log_n(before) - pairs) / n),
    )


def _n_log_n(occurrences: Counts) -> float:
    """Return Σ n ln n; the entropy of these frequencies is ln N − Σ n ln n / N."""
    n = occurrences[occurrences > 0]
    return float((n * np.log(n)).sum())


def _occurrences(ids: Run, vocab_size: int) -> Counts:
    counts = np.zeros(vocab_size, dtype=np.int64)
    for chunk in chunks(ids):
        counts += np.bincount(chunk, minlength=vocab_size)
    return counts


def _pairs(ids: Run, before: Counts) -> Iterator[Counts]:
    """Yield how often each pair of neighbours occurs, in groups that have their first id in common.

    An id that occurs n times stands before at most n others, and at most all that there are. Each
    group takes a reading of its own.
    """
    at_most = np.minimum(before, len(before))
    groups = at_most.cumsum() // PAIRS_AT_A_TIME
    for group in range(groups[-1] + 1):
        yield _pairs_of(ids, groups == group)


def _pairs_of(ids: Run, first: npt.NDArray[np.bool_]) -> Counts:
    """Return how often each pair occurs whose first id is one of `first` [vocab]."""
    pairs: Counts = np.zeros(0, dtype=np.int64)
    occurrences: Counts = pairs
    for chunk in chunks(ids, overlap=1):
        wide = chunk.astype(np.int64)
        numbers = (wide[:-1] * len(first) + wide[1:])[first[wide[:-1]]]
        found, times = np.unique(numbers, return_counts=True)
        places = np.asarray(np.searchsorted(pairs, found))
        known = np.append(pairs, -1)[places] == found
        occurrences[places[known]] += times[known]
        pairs = np.insert(pairs, places[~known], found[~known])
        occurrences = np.insert(occurrences, places[~known], times[~known])
    return occurrences
