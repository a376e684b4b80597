"""Kinds of heads: where each would look, worked out from the ids of a text alone.

Source: Olsson et al., "In-context Learning and Induction Heads" (2022), for the last two; a head
that gives most of its attention to the first token is Xiao et al.'s "attention sink" (2023).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pellucid.ops.operation import Array

FIRST_QUERY = 2
"""At query 1 the previous token is the first one too, so that no head could be told by it."""


@dataclass(frozen=True, slots=True)
class HeadKind:
    """A kind of head: its name, what it looks at in words, and where that is.

    `places(ids)` is true for each key that a query of the kind would look at:
    ids `[text, position]` to `[text, query, key]`.
    """

    name: str
    says: str
    places: Callable[[Array], Array]


def previous_token(ids: Array) -> Array:
    """The key before the query."""
    return everywhere(ids, np.eye(ids.shape[1], k=-1, dtype=bool))


def first_token(ids: Array) -> Array:
    """Key 0."""
    first = np.zeros((ids.shape[1], ids.shape[1]), dtype=bool)
    first[:, 0] = True
    return everywhere(ids, first)


def everywhere(ids: Array, places: Array) -> Array:
    """The same places `[query, key]` in every text, from the first query that tells kinds apart."""
    late = np.arange(ids.shape[1])[:, None] >= FIRST_QUERY
    return np.broadcast_to(places & late, (len(ids), *places.shape))


def duplicate_token(ids: Array) -> Array:
    """Earlier keys at which the query's own token stands."""
    same = ids[:, :, None] == ids[:, None, :]
    return np.tril(same, k=-1)


def induction(ids: Array) -> Array:
    """Keys that stand just after an earlier occurrence of the query's own token."""
    after = np.zeros((*ids.shape, ids.shape[1]), dtype=bool)
    after[:, :, 1:] = duplicate_token(ids)[:, :, :-1]
    return after


KINDS: Mapping[str, HeadKind] = {
    kind.name: kind
    for kind in (
        HeadKind("previous token", "the token before", previous_token),
        HeadKind("first token", "the first token", first_token),
        HeadKind("duplicate token", "an earlier occurrence of the same token", duplicate_token),
        HeadKind("induction", "what followed an earlier occurrence of the same token", induction),
    )
}
"""All kinds, by name."""


def share_of_attention(pattern: Array, places: Array) -> Array:
    """How much of its attention each head gives to the places: the mean over queries with any.

    Args:
        pattern: `[text, head, query, key]`.
        places: `[text, query, key]`, true where a head of the kind would look.

    Returns:
        `[head]`, from 0 to 1; NaN where no query has such a place.
    """
    queries = places.any(axis=-1)
    if not queries.any():
        return np.full(pattern.shape[1], np.nan)
    given = np.einsum("thqk,tqk->htq", pattern, places, dtype=np.float64)
    shares: Array = given[:, queries].mean(axis=-1)
    return shares


def share_by_chance(places: Array) -> float:
    """What a head would give them that looks at all it can see alike."""
    positions = places.shape[-1]
    even = np.tril(np.ones((positions, positions))) / np.arange(1, positions + 1)[:, None]
    return float(
        share_of_attention(np.broadcast_to(even, (len(places), 1, *even.shape)), places)[0]
    )
