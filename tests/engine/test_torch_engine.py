"""The torch engine does what the NumPy engine does; what it computes is held in parity/."""

import numpy as np
import pytest

from pellucid.engine.plan import Keep
from pellucid.engine.torch_engine import TorchEngine
from pellucid.errors import PellucidError
from tests.engine.small_engines import GIVEN, IDS, TARGETS, watch
from tests.engine.small_engines import build as numpy_engine
from tests.small_models import OPTIONS

pytestmark = pytest.mark.usefixtures("one_torch_thread")


def build(option="as it is", **how):
    reference = numpy_engine(option)
    for array in reference.parameters.values():
        array.flags.writeable = False
    return TorchEngine(reference.graph, reference.parameters, device="cpu", **how)


@pytest.fixture(params=OPTIONS)
def each_engine(request):
    return build(request.param)


@pytest.fixture
def engine():
    return build()


def copies(arrays):
    return {name: np.array(array) for name, array in arrays.items()}


def assert_unchanged(now, before):
    for name, array in before.items():
        np.testing.assert_array_equal(now[name], array, err_msg=name)


def test_the_parameters_are_the_memory_that_was_given(engine):
    for name, tensor in engine.module.named_parameters():
        assert tensor.data_ptr() == engine.parameters[name].ctypes.data


def test_neither_inputs_nor_parameters_nor_what_was_kept_are_written_to(each_engine):
    given, before = copies(GIVEN), copies(each_engine.parameters)
    run = each_engine.forward(given, keep=Keep.EVERYTHING, outputs=("loss",))
    values = copies(run.values)
    each_engine.backward(run)
    each_engine.forward({"ids": IDS[::-1] // 2, "targets": TARGETS // 2}, keep=Keep.EVERYTHING)
    assert_unchanged(given, GIVEN)
    assert_unchanged(each_engine.parameters, before)
    assert_unchanged(run.values, values)


def test_no_graph_of_gradients_is_kept_unless_the_loss_is_gone_back_from(engine):
    for how in ({}, {"keep": Keep.EVERYTHING}, {"outputs": ("loss",)}):
        run = engine.forward(GIVEN, **how)
        assert not any(tensor.requires_grad for tensor in run.way_back.values())
    run = engine.forward(GIVEN, keep=Keep.BACKWARD, outputs=("loss",))
    assert run.way_back["loss"].requires_grad


def test_every_output_is_handed_over_once_in_order(each_engine):
    seen: list[str] = []
    each_engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",), intervene=watch(seen))
    assert seen == [node.name for node in each_engine.graph.nodes]


def test_reading_one_place_hands_over_the_graphs_own_tensors_alone(each_engine):
    seen: list[str] = []
    each_engine.forward({"ids": IDS}, places=np.array([5, 2, 0]), intervene=watch(seen))
    assert set(seen) <= set(each_engine.graph.facts)


def test_handing_back_what_came_changes_nothing_but_that_nothing_is_fused(each_engine):
    plain = each_engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",))
    handed = each_engine.forward(
        GIVEN, keep=Keep.EVERYTHING, outputs=("loss",), intervene=lambda name, x: x
    )
    for name, array in plain.values.items():
        assert array.tobytes() == handed[name].tobytes()


@pytest.mark.parametrize("option", OPTIONS)
def test_what_takes_a_tensors_place_changes_values_and_gradients_as_in_numpy(option):
    reference, engine = numpy_engine(option), build(option)

    def halve(name, x):
        changed = ("attn.out", "attn.scores", "attn.pattern", "mlp.post", "logits")
        return x * 0.5 if name.endswith(changed) else x

    runs = [
        each.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",), intervene=halve)
        for each in (reference, engine)
    ]
    for name in reference.graph.facts:
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-10, err_msg=name)
    names = [node.name for node in reference.graph.nodes]
    ours = reference.backward(runs[0], keep_nodes=names)
    theirs = engine.backward(runs[1], keep_nodes=names)
    assert set(ours.nodes) == set(theirs.nodes)
    for one, other in ((ours.nodes, theirs.nodes), (ours.parameters, theirs.parameters)):
        for name, array in one.items():
            np.testing.assert_allclose(other[name], array, rtol=0, atol=1e-9, err_msg=name)


def test_an_intervention_may_change_an_output_in_16_bits():
    half = build(dtype="bfloat16")
    run = half.forward(GIVEN, intervene=lambda name, x: np.zeros_like(x))
    assert run["logits"].dtype == np.float32
    assert (run["logits"] == 0).all()


def test_a_run_can_be_gone_back_through_more_than_once(engine):
    run = engine.forward(GIVEN, keep={Keep.BACKWARD, "logits"}, outputs=("loss",))
    assert engine.backward(run).nodes == {}
    once, again = (engine.backward(run, keep_nodes=["logits"]) for _ in range(2))
    assert_unchanged(again.nodes, once.nodes)
    assert_unchanged(again.parameters, once.parameters)


def test_a_gradient_of_no_tensor_cannot_be_kept(engine):
    run = engine.forward(GIVEN, keep=Keep.BACKWARD, outputs=("loss",))
    with pytest.raises(PellucidError, match="Did you mean logits"):
        engine.backward(run, keep_nodes=["logit"])
    with pytest.raises(PellucidError, match="did not keep logits: name it"):
        engine.backward(run, keep_nodes=["logits"])


@pytest.mark.parametrize("last", [None, [5, 2, 4]], ids=["every place", "one place"])
def test_a_run_goes_on_from_tensors_that_it_is_given(each_engine, last):
    places = None if last is None else np.array(last)
    whole = each_engine.forward({"ids": IDS}, keep=Keep.EVERYTHING)
    right = each_engine.forward({"ids": IDS}, places=places)["logits"]
    nodes = each_engine.graph.needed_for(frozenset({"logits"}))
    for i in range(1, len(nodes), 7):
        before = {node.name: whole[node.name] for node in nodes[:i]}
        made: list[str] = []
        given = {"ids": IDS, **before}
        for intervene in (watch(made), None):
            run = each_engine.forward(given, places=places, intervene=intervene)
            np.testing.assert_allclose(run["logits"], right, rtol=0, atol=1e-12)
        assert made == [
            node.name
            for node in each_engine.graph.needed_for(frozenset({"logits"}), frozenset(before))
        ]


def test_what_a_run_is_given_is_taken_over_in_its_own_precision():
    engine = build(dtype="bfloat16")
    name = "blocks.0.resid_mid"
    whole = engine.forward({"ids": IDS}, keep=Keep.EVERYTHING)
    run = engine.forward({"ids": IDS, name: whole[name]}, keep=Keep.EVERYTHING)
    np.testing.assert_array_equal(run["logits"], whole["logits"])
    assert "embed.out" not in run.values


def test_a_text_that_does_not_fit_into_the_cache_is_said(engine):
    cache = engine.new_cache(batch=3)
    engine.forward({"ids": IDS[:, :4]}, cache=cache)
    with pytest.raises(PellucidError, match="7 positions do not fit into a context of 6"):
        engine.forward({"ids": IDS[:, :3]}, cache=cache)
