"""Where each kind of head would look, counted out on a text that can be read."""

import numpy as np
import pytest

from pellucid.analysis.head_kinds import KINDS, share_by_chance, share_of_attention

TEXT = np.array([[7, 1, 2, 1, 2, 2]])


def places(kind):
    """Query and key of every place, in order."""
    _, queries, keys = np.nonzero(KINDS[kind].places(TEXT))
    return list(zip(queries.tolist(), keys.tolist(), strict=True))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("previous token", [(2, 1), (3, 2), (4, 3), (5, 4)]),
        ("first token", [(2, 0), (3, 0), (4, 0), (5, 0)]),
        ("duplicate token", [(3, 1), (4, 2), (5, 2), (5, 4)]),
        ("induction", [(3, 2), (4, 3), (5, 3), (5, 5)]),
    ],
)
def test_each_kind_looks_at_its_own_places(kind, expected):
    assert places(kind) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_looks_ahead(kind):
    ids = np.random.default_rng(0).integers(0, 4, (3, 12))
    assert not np.triu(KINDS[kind].places(ids), k=1).any()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_do_not_see_each_other(kind):
    both = KINDS[kind].places(np.array([[1, 2, 1], [3, 1, 3]]))
    assert np.array_equal(both[0], KINDS[kind].places(np.array([[1, 2, 1]]))[0])
    assert np.array_equal(both[1], KINDS[kind].places(np.array([[3, 1, 3]]))[0])


def test_a_share_is_a_mean_over_the_queries_that_have_a_place():
    pattern = np.zeros((1, 2, 6, 6))
    pattern[0, 0, 3, 2] = 1.0
    pattern[0, 0, 5, [3, 5]] = 0.25, 0.5
    pattern[0, 1, 0, 0] = 1.0
    shares = share_of_attention(pattern, KINDS["induction"].places(TEXT))
    assert shares.tolist() == [(1.0 + 0.0 + 0.75) / 3, 0.0]


def test_whoever_looks_at_all_alike_gives_what_chance_gives():
    assert share_by_chance(KINDS["first token"].places(TEXT)) == pytest.approx(
        (1 / 3 + 1 / 4 + 1 / 5 + 1 / 6) / 4
    )
    assert share_by_chance(KINDS["induction"].places(TEXT)) == pytest.approx(
        (1 / 4 + 1 / 5 + 2 / 6) / 3
    )


def test_where_nothing_occurs_twice_there_is_no_share():
    pattern = np.full((1, 2, 3, 3), 1 / 3)
    none = KINDS["induction"].places(np.array([[1, 2, 3]]))
    assert np.isnan(share_of_attention(pattern, none)).all()
    assert np.isnan(share_by_chance(none))
