"""What a corpus itself says about the next id: the best that any model of it can do."""

from collections import Counter
from dataclasses import dataclass
from math import fsum, log

import numpy as np
import numpy.typing as npt

from pellucid.errors import PellucidError
from pellucid.text.batches import Pairs
from pellucid.text.mapped import Run, chunks

Context = tuple[int, ...]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Baselines:
    """Entropies of running text in nats per token: what a model has to beat.

    `uniform` is ln(vocab_size), `unigram` H(token) and `bigram` H(next | token): the lowest mean
    loss of a model that knows nothing, the frequency of each token, or how often each follows each.
    """

    uniform: float
    unigram: float
    bigram: float


def baselines(ids: Run, *, vocab_size: int) -> Baselines:
    """Return the entropies of `ids` [position], which are read once and may be a mapped file.

    Of the frequencies in the text itself: H(token) = −Σ n(t)/N · ln(n(t)/N), over the targets, that
    is every id but the first; H(next | token) as in `conditional_entropy`. Raises `PellucidError`
    for fewer than two ids.
    """
    if len(ids) < 2:
        raise PellucidError(
            f"The text has {len(ids)} tokens; a token and the next take at least 2."
        )
    pairs, occurrences = _neighbours(ids, vocab_size)
    before = np.bincount(pairs // vocab_size, occurrences)
    after = np.bincount(pairs % vocab_size, occurrences)
    n = len(ids) - 1
    # H(next | token) = H(token, next) − H(token): the chain rule.
    bigram = _entropy(occurrences, n) - _entropy(before, n)
    return Baselines(log(vocab_size), _entropy(after, n), max(0.0, bigram))


def conditional_distributions(pairs: Pairs) -> dict[Context, dict[int, float]]:
    """Return how often each id follows each context, as probabilities.

    A context is without padding. Contexts come in the order in which they first occur, the next
    ids of one in ascending order; the probabilities of one context sum to 1.
    """
    return {
        context: {id: count / followers.total() for id, count in sorted(followers.items())}
        for context, followers in _followers(pairs).items()
    }


def conditional_entropy(pairs: Pairs) -> float:
    """Return H(next | context) in nats, each context weighted by how often it occurs.

    −Σ n(context, next) / N · ln(n(context, next) / n(context)): the mean cross-entropy of a model
    that predicts exactly `conditional_distributions`. No model has a lower mean loss over these
    pairs (Gibbs' inequality; Cover and Thomas, Elements of Information Theory, section 2.6).
    """
    losses = (
        -count * log(count / followers.total())
        for followers in _followers(pairs).values()
        for count in followers.values()
    )
    return fsum(losses) / len(pairs)


def _followers(pairs: Pairs) -> dict[Context, Counter[int]]:
    """Return for each context how often each id came next."""
    followers: dict[Context, Counter[int]] = {}
    rows = zip(pairs.contexts.tolist(), pairs.lengths.tolist(), pairs.targets.tolist(), strict=True)
    for context, length, target in rows:
        followers.setdefault(tuple(context[:length]), Counter())[target] += 1
    return followers


def _entropy(occurrences: npt.NDArray[np.number], n: int) -> float:
    """Return −Σ p ln p in nats, p = occurrences / n."""
    p = occurrences[occurrences > 0] / n
    return float(-(p * np.log(p)).sum())


def _neighbours(ids: Run, vocab_size: int) -> tuple[Counts, Counts]:
    """Return each pair of neighbours, as before · vocab_size + after, and how often it occurs."""
    pairs = occurrences = np.zeros(0, dtype=np.int64)
    for chunk in chunks(ids, overlap=1):
        wide = chunk.astype(np.int64)
        found, times = np.unique(wide[:-1] * vocab_size + wide[1:], return_counts=True)
        pairs, places = np.unique(np.concatenate([pairs, found]), return_inverse=True)
        occurrences = np.bincount(places, np.concatenate([occurrences, times])).astype(np.int64)
    return pairs, occurrences
