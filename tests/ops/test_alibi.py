"""ALiBi lowers scores by how far back a key is, each head by its own slope."""

import numpy as np
import pytest

from pellucid.ops.alibi import Alibi, alibi_slopes
from tests.ops.passes import output


def test_the_slopes_of_the_paper():
    assert alibi_slopes(8) == tuple(2.0**-i for i in range(1, 9))
    assert alibi_slopes(1) == (2.0**-8,)
    assert alibi_slopes(12) == (
        *alibi_slopes(8),
        *(pytest.approx(2**-e, rel=1e-15) for e in (0.5, 1.5, 2.5, 3.5)),
    )


def test_a_key_is_lowered_in_proportion_to_its_distance():
    scores = np.random.default_rng(0).standard_normal((1, 2, 4, 4))
    lowered = output(Alibi((0.5, 0.25)), scores, np.arange(4)[None])
    for head, slope in enumerate((0.5, 0.25)):
        for query in range(4):
            for key in range(4):
                expected = scores[0, head, query, key] - slope * (query - key)
                assert lowered[0, head, query, key] == pytest.approx(expected, abs=1e-15)


def test_a_query_at_the_end_sees_distances_from_its_own_position():
    lowered = output(Alibi((1.0,)), np.zeros((2, 1, 1, 4)), np.array([[3], [1]]))
    assert lowered[:, 0, 0].tolist() == [[-3, -2, -1, 0], [-1, 0, 1, 2]]
