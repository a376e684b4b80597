"""What a corpus itself says about the next id: the best that any model of it can do."""

from collections import Counter
from math import fsum, log

from pellucid.text.batches import Pairs

Context = tuple[int, ...]


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
