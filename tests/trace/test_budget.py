"""The bytes of a trace are known before it is run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.parameters import parameter_specs
from pellucid.decoder.presets import preset
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.errors import PellucidError
from pellucid.ops.embedding import Embedding
from pellucid.ops.linear import Linear
from pellucid.ops.loss import CrossEntropy, MeanLoss
from pellucid.ops.residual import Add
from pellucid.trace.budget import gradient_bytes, names_to_keep, trace_bytes
from pellucid.trace.tensor import bases
from tests.small_models import OPTIONS, small_model

MODEL = small_model()
NAMES = [*MODEL.graph.facts, *MODEL.graph.aliases]


def bytes_held(trace):
    """What the arrays of a trace hold in memory, whatever they share."""
    arrays = [*trace.values.values(), *trace.gradients.values()]
    owners = {id(owner): owner for *_, owner in map(bases, arrays)}
    return sum(owner.nbytes for owner in owners.values())


@pytest.mark.parametrize("target", [None, 3])
@pytest.mark.parametrize("positions", [1, 2, 6])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_a_trace_holds_as_many_bytes_as_were_foretold(option, dtype, positions, target):
    model = small_model(option, dtype=dtype)
    trace = model.trace(ids=range(positions), target=target)
    foretold = trace_bytes(model.graph, positions, dtype, gradients=target is not None)
    assert bytes_held(trace) == foretold


@pytest.mark.parametrize("target", [None, 3])
@given(names=st.sets(st.sampled_from(NAMES)), positions=st.integers(1, 6))
def test_so_does_a_part_of_it(names, positions, target):
    trace = MODEL.trace(ids=range(positions), target=target, names=names)
    back = target is not None
    assert bytes_held(trace) == trace_bytes(
        MODEL.graph, positions, "float64", names=names, gradients=back
    )


def test_memory_that_tensors_share_counts_once():
    def weigh(*names):
        return trace_bytes(MODEL.graph, 5, "float64", names=names)

    attn = "blocks.0.attn"
    assert weigh(f"{attn}.k_flat", f"{attn}.k", f"{attn}.keys") == weigh(f"{attn}.keys")
    assert weigh("blocks.0.resid_pre", "embed.out") == weigh("embed.out") == 5 * 8 * 8
    assert weigh("embed.out", "embed.tokens") == 2 * weigh("embed.out")


def test_a_gradient_that_is_added_up_has_memory_of_its_own():
    g = GraphBuilder({"vocab": 11, "d_model": 8, "position": 6})
    tokens = g("embed.tokens", Embedding("token_embedding", rows="vocab"), "ids")
    positions = g("embed.positions", Embedding("position_embedding", rows="position"), "positions")
    once = g("embed.out", Add(), tokens, positions)
    twice = g("final_norm", Add(), once, tokens)
    logits = g("logits", Linear("head.w", None, to="vocab"), twice)
    g("loss", MeanLoss(), g("loss.per_position", CrossEntropy(), logits, "targets"), "targets")
    graph = g.graph()
    weights = {name: np.ones(spec.shape) for name, spec in parameter_specs(graph).items()}
    engine = NumpyEngine(graph, weights)
    given = {"ids": np.array([[1, 2]]), "targets": np.array([[2, 3]])}
    run = engine.forward(given, keep=[*graph.facts, Keep.BACKWARD], outputs=("loss",))
    nodes = engine.backward(run, keep_nodes=graph.facts).nodes
    assert np.shares_memory(nodes["embed.positions"], nodes["final_norm"])
    assert not np.shares_memory(nodes["embed.tokens"], nodes["final_norm"])
    assert set(gradient_bytes(graph, 2, "float64", graph.facts)) == {
        "gradient of embed.tokens",
        "gradient of embed.positions",
        "gradient of logits",
        "gradient of loss.per_position",
        "gradient of loss",
        "gradients of the parameters",
    }


def test_what_a_trace_would_keep_is_in_the_graphs_order():
    assert names_to_keep(MODEL.graph, ["probs", "blocks.1.resid_pre"], target=False) == (
        "blocks.0.resid_post",
        "probs",
    )
    assert names_to_keep(MODEL.graph, ["probs"], target=True) == ("probs", "loss")
    assert names_to_keep(MODEL.graph, ["loss"], target=False) == ()


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(PellucidError, match="Did you mean logits"):
        trace_bytes(MODEL.graph, 5, "float64", names=["logit"])


def test_a_large_shape_is_weighed_without_being_made():
    graph = build_graph(preset("gpt2"))
    half, whole = (trace_bytes(graph, n, np.float32) for n in (512, 1024))
    # Scores, masked scores and pattern grow with the square.
    squares = 3 * 12 * 12 * 4
    assert whole - 2 * half == squares * (1024**2 - 2 * 512**2)
