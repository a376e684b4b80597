"""The linear map is a product and a sum, counted by hand."""

import numpy as np
import pytest

from pellucid.ops.linear import Linear

RNG = np.random.default_rng(0)
X, W, B = RNG.standard_normal((2, 3, 4)), RNG.standard_normal((4, 5)), RNG.standard_normal(5)


def test_each_output_is_a_weighted_sum_and_a_bias():
    out, _ = Linear("w", "b", "d_out").forward([X], [W, B])
    for place in np.ndindex(2, 3):
        for j in range(5):
            by_hand = sum(X[place][i] * W[i, j] for i in range(4)) + B[j]
            assert out[place][j] == pytest.approx(by_hand, abs=1e-14)


def test_a_transposed_weight_is_read_the_other_way_round():
    plain, _ = Linear("w", "b", "d_out").forward([X], [W, B])
    transposed, _ = Linear("w", "b", "d_out", transposed=True).forward([X], [W.T.copy(), B])
    np.testing.assert_allclose(transposed, plain, rtol=0, atol=1e-14)


def test_an_input_that_is_not_contiguous():
    turned = np.asfortranarray(X)
    out, _ = Linear("w", None, "d_out").forward([turned], [W])
    np.testing.assert_allclose(out, X @ W, rtol=0, atol=1e-14)


def test_dims_of_output_and_parameters():
    op = Linear("w", "b", "d_mlp")
    assert op.dims(("position", "d_model")) == ("position", "d_mlp")
    assert op.parameters == ("w", "b")
    assert op.parameter_dims(("position", "d_model")) == (("d_model", "d_mlp"), ("d_mlp",))
    tied = Linear("token_embedding", None, "vocab", transposed=True)
    assert tied.parameters == ("token_embedding",)
    assert tied.parameter_dims(("position", "d_model")) == (("vocab", "d_model"),)


def test_operations_counted_by_hand():
    sizes = {"position": 3, "d_model": 4, "d_mlp": 5}
    inputs = [("position", "d_model")]
    # Each of the 3 · 5 outputs: 4 products, 4 additions to a sum; and one more for the bias.
    assert Linear("w", None, "d_mlp").flops(inputs, sizes) == 3 * 5 * 8
    assert Linear("w", "b", "d_mlp").flops(inputs, sizes) == 3 * 5 * 9
