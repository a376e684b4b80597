"""Heads are cut, laid side by side again, and remembered."""

import numpy as np
import pytest

from pellucid.ops.heads import MergeHeads, Remember, SplitHeads
from tests.ops.passes import output

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("n_head", [1, 2, 3])
def test_merging_undoes_splitting(n_head):
    x = RNG.standard_normal((2, 5, 6))
    heads = output(SplitHeads(n_head), x)
    width = 6 // n_head
    assert heads.shape == (2, n_head, 5, width)
    for head in range(n_head):
        assert np.array_equal(heads[:, head], x[..., head * width : (head + 1) * width])
    assert np.array_equal(output(MergeHeads(n_head, to="d_model"), heads), x)


def test_what_is_remembered_is_what_was_given():
    k = RNG.standard_normal((2, 3, 4, 5))
    assert np.array_equal(output(Remember(), k), k)
    assert Remember().dims(("kv_head", "position", "d_head")) == ("kv_head", "key", "d_head")
