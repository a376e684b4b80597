"""What stands for a whole trace or tensor names everything that is in it."""

import re

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.trace.tensor_file import StoredTensors
from pellucid.trace.trace import Trace
from pellucid.views.scene import Equation, GraphDiagram, Heading, Matrix, Prose, Row, Scene
from pellucid.views.summary import blocks_of, trace_table
from tests.small_models import OPTIONS, SMALL, small_config, small_model


def test_the_table_of_a_trace_lists_each_tensor_once_with_its_dims_and_shape():
    trace = small_model().trace(ids=[1, 2, 3], target="next")
    table = trace_table(trace)
    listed = [row[0] for row in table.rows]
    assert listed == [name for name in trace.names if not name.startswith("blocks.1.")]
    for name, dims, shape, words in table.rows:
        assert dims == " ".join(trace[name].dims)
        assert shape == "×".join(str(size) for size in trace[name].shape)
        assert all(part in trace[name].title for part in str(words).split(", "))
    said = {row[0]: row[3] for row in table.rows}
    assert said["blocks.0.attn.q"] == "Queries"
    assert said["blocks.0.norm1.mean"] == "mean of each position's vector"
    assert table.title == "Trace of 3 tokens: 1 2 3"
    assert table.note == (
        f"blocks.1 holds the same tensors as blocks.0. Loss {trace.loss:.4f} nats; "
        f"{len(trace.gradients)} gradients in `.grad`."
    )


@pytest.mark.parametrize("option", OPTIONS)
def test_neighbours_in_the_table_of_a_trace_are_told_apart(option):
    rows = trace_table(small_model(option).trace(ids=[1, 2, 3], target="next")).rows
    said = [(str(name).rpartition(".")[0], words) for name, _, _, words in rows]
    assert len(set(said)) == len(said)
    words = {name: words for name, _, _, words in rows}
    if small_config(option).mlp:
        assert words["blocks.0.mlp.pre"] == "Feed-forward, before the activation"
        assert words["blocks.0.mlp.post"] == "Feed-forward, after the activation"


def test_the_table_of_a_stored_trace_reads_no_tensor_but_the_loss(tmp_path):
    trace = small_model().trace(ids=[1, 2, 3], target="next")
    loaded = Trace.load(trace.save(tmp_path / "trace.safetensors"))
    assert trace_table(loaded) == trace_table(trace)
    assert isinstance(loaded.values, StoredTensors)
    assert set(loaded.values.known) == {"loss"}


def test_blocks_that_hold_different_tensors_are_listed_each():
    trace = small_model().trace(ids=[1, 2], names=["blocks.0.attn.pattern", "blocks.1.mlp.out"])
    table = trace_table(trace)
    assert [row[0] for row in table.rows] == list(trace.names)
    assert table.note is None


def test_many_equal_blocks_are_named_by_the_first_and_the_last():
    trace = Model.from_config(SMALL.replace(n_layer=4)).trace(ids=[1])
    assert trace_table(trace).note == "blocks.1 to blocks.3 hold the same tensors as blocks.0."
    assert trace_table(trace).title == "Trace of 1 token: 1"


def test_a_graph_is_a_diagram_of_its_steps():
    graph = small_model().graph
    (diagram,) = blocks_of(graph)
    assert isinstance(diagram, GraphDiagram)
    assert (diagram.graph, diagram.depth) == (graph, "block")


def test_a_tensor_with_heads_is_a_row_of_one_matrix_a_head():
    tensor = small_model().trace(ids=[1, 2])["blocks.0.attn.pattern"]
    heading, equation, row = blocks_of(tensor)
    assert heading == Heading(f"{tensor.title}   {tensor.name}", level=3)
    assert equation == Equation(tensor.equation, tensor.latex)
    assert isinstance(row, Row)
    for head, matrix in enumerate(row.blocks):
        assert isinstance(matrix, Matrix)
        assert matrix.title == f"head {head}"
        np.testing.assert_array_equal(matrix.values, tensor.values[head])


def test_keys_of_a_generation_say_which_steps_wrote_them():
    model = small_model()
    generation = model.generate(ids=[1, 2, 3], max_new_tokens=6, trace=True).finish()
    said = [blocks_of(trace["blocks.0.attn.keys"])[-1] for trace in generation.traces]
    assert said == [
        Prose(
            "Keys 0 to 2 were written in step 1 of the generation, then one in each step, 2 to 4."
        ),
        Prose("Keys 0 to 5 were written in step 5 of the generation."),
        Prose("Keys 0 to 5 were written in step 6 of the generation."),
    ]
    alone = model.generate(ids=[1], max_new_tokens=1, trace=True).finish().traces[0]
    single = blocks_of(alone["blocks.0.attn.values"])[-1]
    assert single == Prose("Key 0 was written in step 1 of the generation.")
    assert blocks_of(model.trace(ids=[1])["blocks.0.attn.keys"])[-1] != single


def test_more_heads_than_can_be_read_are_left_out_with_words():
    model = Model.from_config(SMALL.replace(n_head=12, n_kv_head=12, n_embd=24, d_head=2))
    tensor = model.trace(ids=[1, 2])["blocks.0.attn.pattern"]
    *_, row, remark = blocks_of(tensor)
    assert isinstance(row, Row)
    assert isinstance(remark, Prose)
    assert len(row.blocks) == 8
    assert re.search("8 of 12, to head 7.*all 48 numbers", remark.text)


def test_blocks_stand_for_themselves_and_sequences_for_their_parts():
    scene, prose = Scene("a", ()), Prose("b")
    assert blocks_of(scene) == (scene,)
    assert blocks_of([prose, (scene, prose)]) == (prose, scene, prose)
    (matrix,) = blocks_of(small_model().trace(ids=[1, 2])["logits"])
    assert isinstance(matrix, Matrix)


@pytest.mark.parametrize("thing", ["text", b"bytes", 3, None])
def test_there_is_no_view_of_anything_else(thing):
    with pytest.raises(TypeError, match="no view of"):
        blocks_of(thing)
    with pytest.raises(TypeError, match="no view of a float64"):
        blocks_of(np.ones(2))
