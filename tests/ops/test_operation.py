"""An operation is a value: equal where its settings are, and described without being run."""

from dataclasses import FrozenInstanceError, is_dataclass, replace

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.ops.attention import Scores
from pellucid.ops.linear import Linear
from pellucid.ops.operation import OPERATIONS, count
from pellucid.ops.softmax import Softmax
from tests.small_models import OPTIONS, small_model

GRAPHS = [
    build_graph(small_model(option).config, dropout=rate) for option in OPTIONS for rate in (0, 0.1)
]
NODES = [node for graph in GRAPHS for node in graph.nodes]


def test_the_registry_knows_each_kind_by_its_name():
    for kind, operation in OPERATIONS.items():
        assert operation.kind == kind
        assert is_dataclass(operation)


OF_EDITS = {"change", "mean_over", "part"}
"""What edits put into a graph stands in none that a config describes."""


def test_the_options_of_a_config_use_every_operation_that_is_no_edit():
    assert {node.op.kind for node in NODES} == set(OPERATIONS) - OF_EDITS


def test_equal_settings_are_equal_operations():
    assert Linear("w", "b", "d_mlp") == Linear("w", "b", "d_mlp")
    assert hash(Softmax("key")) == hash(Softmax("key"))
    assert len({Scores(4), Scores(4), Scores(5)}) == 2
    assert Softmax("key") != Softmax("vocab")
    for node in NODES:
        assert node.op == replace(node.op)  # type: ignore[type-var]
        assert hash(node.op) == hash(replace(node.op))  # type: ignore[type-var]


def test_an_operation_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Scores(4).d_head = 5  # type: ignore[misc]


def test_what_backward_reads_is_there_to_be_kept():
    for operation in OPERATIONS.values():
        assert operation.saves <= {"inputs", "output", *operation.extras}


def test_numbers_in_a_tensor():
    assert count(("head", "query", "key"), {"head": 2, "query": 3, "key": 5}) == 30
    assert count((), {}) == 1
