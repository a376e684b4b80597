"""How tensors become matrices: every number arrives, under its own labels."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.views.scene import Axis, Matrix
from tests.small_models import OPTIONS, small_model


def trace_of(option="as it is", *, ids=(1, 4, 2, 4, 0), target="next"):
    return small_model(option).trace(ids=list(ids), target=target)


@pytest.mark.parametrize("option", OPTIONS)
def test_the_matrices_of_a_tensor_hold_all_its_numbers_in_order(option):
    trace = trace_of(option)
    for tensor in (*map(trace.__getitem__, trace.names), *trace.parameters.values()):
        values = np.concatenate([matrix.values.reshape(-1) for matrix in Matrix.each(tensor)])
        np.testing.assert_array_equal(values, tensor.values.reshape(-1))


def test_a_tensor_with_heads_gives_one_matrix_a_head_that_says_which():
    pattern = trace_of()["blocks.1.attn.pattern"]
    matrices = Matrix.each(pattern)
    assert [matrix.title for matrix in matrices] == [
        f"{pattern.title}, head {head}" for head in range(4)
    ]
    for head, matrix in enumerate(matrices):
        assert (matrix.rows.dim, matrix.columns.dim) == ("query", "key")
        assert matrix.rows.labels == pattern.labels["query"]
        np.testing.assert_array_equal(matrix.values, pattern.values[head])


def test_one_head_folds_away_without_a_word():
    pattern = trace_of("one head")["blocks.0.attn.pattern"]
    assert pattern.shape == (1, 5, 5)
    (matrix,) = Matrix.each(pattern)
    assert matrix.title == pattern.title
    assert matrix.values.shape == (5, 5)


def test_one_position_of_many_heads_leaves_heads_by_features():
    q = trace_of(ids=[3], target=None)["blocks.0.attn.q"]
    matrix = Matrix.of(q)
    assert (matrix.rows.dim, matrix.columns.dim) == ("head", "d_head")
    assert matrix.title == f"{q.title}, position 3"


def test_a_slice_is_named_by_its_index_and_its_label():
    trace = trace_of()
    row = Matrix.of(trace["logits"], position=-2)
    np.testing.assert_array_equal(row.values, trace["logits"].values[-2:-1])
    assert row.rows.labels == ("4",)
    last = Matrix.of(trace["logits"], position=-1)
    np.testing.assert_array_equal(last.values, trace["logits"].values[-1:])
    assert Matrix.of(trace["blocks.0.attn.z"], head=2).title.endswith(", head 2")
    assert Matrix.of(trace["blocks.0.attn.z"], position=3).title.endswith(", position 3 (4)")


def test_positions_stand_upright_and_features_lie_down():
    trace = trace_of()
    rstd = Matrix.of(trace["blocks.0.norm1.rstd"])
    none = Axis("", ("",))
    assert (rstd.rows.dim, rstd.columns, rstd.values.shape) == ("position", none, (5, 1))
    gamma = Matrix.of(trace["blocks.0.norm1.gamma"])
    assert (gamma.rows, gamma.columns.dim, gamma.values.shape) == (
        Axis("", ("",)),
        "d_model",
        (1, 8),
    )
    assert Matrix.of(trace["loss"]).values == trace.loss


def test_the_kind_follows_the_name():
    trace = trace_of()
    kinds = {
        "blocks.0.attn.pattern": "probability",
        "probs": "probability",
        "blocks.0.attn.masked_scores": "signed",
        "blocks.0.mlp.out": "signed",
        "blocks.0.attn.w_q": "weight",
        "blocks.0.attn.b_q": "weight",
        "head.w": "weight",
        "token_embedding": "weight",
        "final_norm.gamma": "weight",
        "blocks.0.norm1.rstd": "plain",
        "loss.per_position": "plain",
    }
    for name, kind in kinds.items():
        assert Matrix.each(trace[name])[0].kind == kind, name
    for name in ("blocks.0.attn.pattern", "blocks.0.attn.w_q"):
        assert Matrix.each(trace.grad[name])[0].kind == "signed"
    assert Matrix.of(trace["logits"], kind="plain").kind == "plain"


def test_what_a_tensor_does_not_have_is_refused_with_what_it_has():
    pattern = trace_of()["blocks.0.attn.pattern"]
    with pytest.raises(PellucidError, match=r"has 3 dims \(head query key\).*such as head=0"):
        Matrix.of(pattern)
    with pytest.raises(PellucidError, match=r"no dim 'heads'. Did you mean head\?"):
        Matrix.of(pattern, heads=0)
    with pytest.raises(PellucidError, match=r"head=4 is out of range.* has 4"):
        Matrix.of(pattern, head=4)


def test_a_matrix_does_not_change_when_the_array_it_was_made_from_does():
    values = np.ones((2, 3))
    matrix = Matrix("ones", values, Axis("row"), Axis("column"))
    values[:] = 2
    assert np.all(matrix.values == 1)
    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 3


def test_labels_that_do_not_count_up_are_refused():
    with pytest.raises(ValueError, match="2 labels for 3 indices of key"):
        Matrix("", np.ones((1, 3)), Axis("query"), Axis("key", ("a", "b")))
    with pytest.raises(ValueError, match="has 2 dims, these values have 1"):
        Matrix("", np.ones(3), Axis("query"), Axis("key"))


@pytest.mark.parametrize("words", [((),), (("a",),), (("a", "b"), ("c", "d"))])
def test_words_are_as_many_as_numbers(words):
    with pytest.raises(ValueError, match="words are not 1 rows of 2"):
        Matrix("M", np.ones((1, 2)), Axis(""), Axis("d"), words=words)
