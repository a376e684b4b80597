"""Recording runs what is needed, and leaves a trace that holds its own numbers and no more."""

import numpy as np
import pytest

from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.trace.record import of_one_text, record
from pellucid.trace.tensor import bases
from tests.small_models import small_model

MODEL = small_model()


class Watched(NumpyEngine):
    """An engine that remembers what its runs kept, and whose gradients."""

    def forward(self, *args, **options):
        self.run = super().forward(*args, **options)
        return self.run

    def backward(self, *args, **options):
        self.gradients = super().backward(*args, **options)
        return self.gradients


def watched_record(**options):
    engine = Watched(MODEL.graph, MODEL.parameters)
    trace = record(
        engine,
        config=MODEL.config,
        parameters=MODEL.labelled_parameters,
        ids=[3, 1, 4],
        tokens=["3", "1", "4"],
        vocabulary=None,
        **options,
    )
    return engine, trace


def test_a_run_keeps_no_more_than_the_names():
    engine, trace = watched_record(names=["blocks.0.attn.pattern"])
    assert set(engine.run.values) == {"ids", "positions", "blocks.0.attn.pattern"}
    assert trace.names == ("blocks.0.attn.pattern",)


def test_a_run_with_a_target_keeps_the_names_and_what_backward_reads():
    given = {"ids": np.array([[3, 1, 4]]), "targets": np.array([[-1, -1, 5]])}
    read_back = MODEL.engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",)).values
    engine, trace = watched_record(names=["blocks.0.attn.masked_scores"], targets=[-1, -1, 5])
    assert set(engine.run.values) == {*read_back, "blocks.0.attn.masked_scores"}
    assert trace.names == ("blocks.0.attn.masked_scores", "loss")


def test_gradients_that_were_not_asked_for_are_let_go():
    engine, trace = watched_record(names=["blocks.0.attn.q"], targets=[-1, -1, 5])
    assert set(engine.gradients.nodes) == {"blocks.0.attn.q", "loss"}
    assert list(trace.grad) == ["blocks.0.attn.q", "loss", *MODEL.parameters]


def test_gradients_stand_in_the_order_of_the_graph():
    _, trace = watched_record(targets=[-1, -1, 5])
    nodes = [name for name in MODEL.graph.facts if name in trace.grad]
    assert list(trace.grad) == [*nodes, *MODEL.parameters]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_trace_holds_no_memory_beside_its_numbers(dtype):
    trace = small_model(dtype=dtype).trace(ids=[1, 2, 3], target="next")
    for arrays in (trace.values, trace.gradients):
        for name, array in arrays.items():
            assert all(base.nbytes == array.nbytes for base in bases(array)), name


def test_one_column_of_a_matrix_is_copied_and_a_whole_one_is_not():
    matrix = np.arange(6.0).reshape(1, 2, 3)
    column, whole = of_one_text(matrix[..., 0]), of_one_text(matrix)
    assert column.tolist() == [0, 3]
    assert not np.shares_memory(column, matrix)
    assert np.shares_memory(whole, matrix)
    assert not column.flags.writeable
    assert not whole.flags.writeable
