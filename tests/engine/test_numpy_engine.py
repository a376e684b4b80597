"""The engine runs a graph: batches, what can be put in its way, and what comes back."""

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import FlatParameters, parameter_specs
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.errors import PellucidError
from tests.engine.small_engines import GIVEN, IDS, TARGETS, build, kept, watch
from tests.small_models import OPTIONS, next_targets, small_config

# What is run


def test_a_batch_is_its_texts_one_by_one(each_engine):
    whole = each_engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",))
    for row in range(len(IDS)):
        one = {name: given[row : row + 1] for name, given in GIVEN.items()}
        alone = each_engine.forward(one, keep=Keep.EVERYTHING, outputs=("loss",))
        for name in kept(alone) - {"loss"}:
            np.testing.assert_allclose(
                whole[name][row], alone[name][0], rtol=0, atol=1e-12, err_msg=name
            )


def test_padding_changes_no_other_token(each_engine):
    short = each_engine.forward({"ids": IDS[:, :4]}, keep=Keep.EVERYTHING)
    for pad in (0, 10):
        padded = np.full(IDS.shape, pad)
        padded[:, :4] = IDS[:, :4]
        real = np.full(len(padded), 4)
        run = each_engine.forward({"ids": padded}, keep=Keep.EVERYTHING, counts=real)
        for name, fact in each_engine.graph.facts.items():
            if name.startswith("loss"):
                continue
            part = [
                slice(4) if dim in ("position", "query", "key") else slice(None)
                for dim in fact.dims
            ]
            np.testing.assert_allclose(
                run[name][:, *part], short[name], rtol=0, atol=1e-12, err_msg=name
            )


def test_padding_changes_neither_loss_nor_gradients(engine_of_any_length):
    short = {"ids": IDS[:, :4], "targets": next_targets(IDS[:, :4])}
    padded = {"ids": np.zeros_like(IDS), "targets": np.full_like(IDS, -1)}
    for name, given in padded.items():
        given[:, :4] = short[name]
    loss, gradients = loss_and_gradients(engine_of_any_length, **short)
    padded_loss, padded_gradients = loss_and_gradients(engine_of_any_length, **padded)
    assert padded_loss == pytest.approx(loss, abs=1e-12, rel=0)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(padded_gradients[name], gradient, rtol=0, atol=1e-12)


def test_positions_count_from_0_unless_given(engine):
    counted = engine.forward({"ids": IDS[:, :3]})["logits"]
    given = np.broadcast_to(np.arange(3), (3, 3))
    assert np.array_equal(
        counted, engine.forward({"ids": IDS[:, :3], "positions": given})["logits"]
    )
    moved = engine.forward({"ids": IDS[:, :3], "positions": given + 2}, keep=["embed.positions"])
    table = engine.parameters["position_embedding"]
    assert np.array_equal(moved["embed.positions"][0], table[2:5])


@pytest.mark.parametrize("last", [None, [5, 2, 4]], ids=["every place", "one place"])
def test_a_run_goes_on_from_tensors_that_it_is_given(each_engine, last):
    places = None if last is None else np.array(last)
    whole = each_engine.forward({"ids": IDS}, keep=Keep.EVERYTHING)
    right = each_engine.forward({"ids": IDS}, places=places)["logits"]
    nodes = each_engine.graph.needed_for(frozenset({"logits"}))
    for i in range(1, len(nodes), 3):
        before = {node.name: whole[node.name] for node in nodes[:i]}
        made: list[str] = []
        run = each_engine.forward({"ids": IDS, **before}, places=places, intervene=watch(made))
        assert made == [
            node.name
            for node in each_engine.graph.needed_for(frozenset({"logits"}), frozenset(before))
        ]
        assert not before.keys() & set(made)
        np.testing.assert_allclose(run["logits"], right, rtol=0, atol=1e-12)


def test_a_changed_tensor_to_start_from_changes_what_follows(each_engine):
    whole = each_engine.forward({"ids": IDS}, keep=("blocks.0.resid_mid",))
    other = 2 * whole["blocks.0.resid_mid"] + 1
    put = each_engine.forward(
        {"ids": IDS}, intervene=lambda made, x: other if made == "blocks.0.resid_mid" else x
    )
    run = each_engine.forward({"ids": IDS, "blocks.0.resid_mid": other})
    np.testing.assert_array_equal(run["logits"], put["logits"])


def test_neither_inputs_nor_parameters_are_written_to(each_engine):
    given = {name: array.copy() for name, array in GIVEN.items()}
    before = {name: array.copy() for name, array in each_engine.parameters.items()}
    run = each_engine.forward(given, keep=Keep.EVERYTHING, outputs=("loss",))
    values = {name: array.copy() for name, array in run.values.items()}
    each_engine.backward(run, keep_nodes=each_engine.graph.facts)
    for now, then in ((given, GIVEN), (each_engine.parameters, before), (run.values, values)):
        for name, array in then.items():
            np.testing.assert_array_equal(now[name], array, err_msg=name)


def test_a_run_stays_as_it_was_when_the_engine_runs_again(each_engine):
    run = each_engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",))
    before = {name: array.copy() for name, array in run.values.items()}
    back = each_engine.backward(run, keep_nodes=each_engine.graph.facts)
    gradients = {name: g.copy() for name, g in {**back.nodes, **back.parameters}.items()}
    other = {"ids": IDS[::-1] // 2, "targets": TARGETS // 2}
    each_engine.backward(each_engine.forward(other, keep=Keep.BACKWARD, outputs=("loss",)))
    for now, then in ((run.values, before), ({**back.nodes, **back.parameters}, gradients)):
        for name, array in then.items():
            np.testing.assert_array_equal(now[name], array, err_msg=name)


def test_parameters_that_move_are_seen_by_the_next_run(engine):
    flat = FlatParameters.copy_of(engine.parameters, parameter_specs(engine.graph))
    training = NumpyEngine(engine.graph, flat)
    before = training.forward(GIVEN)["logits"]
    flat["head.b"][3] += 2.0
    after = training.forward(GIVEN)["logits"]
    np.testing.assert_allclose(
        after - before, np.eye(11)[3] * 2.0 + np.zeros_like(before), atol=1e-12
    )


# What is put in its way


def test_every_output_is_handed_over_once_in_order(each_engine):
    seen: list[str] = []
    each_engine.forward(
        GIVEN,
        keep=Keep.EVERYTHING,
        outputs=("loss",),
        intervene=watch(seen),
    )
    assert seen == [node.name for node in each_engine.graph.nodes]


def test_handing_back_what_came_changes_nothing(each_engine):
    plain = each_engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",))
    handed = each_engine.forward(
        GIVEN, keep=Keep.EVERYTHING, outputs=("loss",), intervene=lambda name, x: x
    )
    for name in kept(plain):
        assert plain[name].tobytes() == handed[name].tobytes()


def test_what_takes_a_tensors_place_is_kept_and_read_on():
    engine = build("as it is")

    def look_at_oneself(name, x):
        return np.broadcast_to(np.eye(6), x.shape) if name == "blocks.1.attn.pattern" else x

    run = engine.forward(GIVEN, keep=Keep.EVERYTHING, intervene=look_at_oneself)
    plain = engine.forward(GIVEN, keep=Keep.EVERYTHING)
    assert (run["blocks.1.attn.pattern"] == np.eye(6)).all()
    np.testing.assert_allclose(run["blocks.1.attn.z"], run["blocks.1.attn.v"], atol=1e-15)
    assert np.array_equal(run["blocks.1.attn.scores"], plain["blocks.1.attn.scores"])
    assert not np.allclose(run["logits"], plain["logits"])


def test_a_change_to_one_text_leaves_the_others(each_engine):
    def silence_the_second(name, x):
        if name != "blocks.0.attn.out":
            return x
        changed = x.copy()
        changed[1] = 0
        return changed

    plain = each_engine.forward(GIVEN)["logits"]
    changed = each_engine.forward(GIVEN, intervene=silence_the_second)["logits"]
    np.testing.assert_allclose(changed[[0, 2]], plain[[0, 2]], rtol=0, atol=1e-12)
    assert not np.allclose(changed[1], plain[1])


def test_an_intervention_lasts_for_one_run(engine):
    plain = engine.forward(GIVEN)["logits"]

    def fail(name, x):
        raise RuntimeError("stop")

    engine.forward(GIVEN, intervene=lambda name, x: np.zeros_like(x))
    with pytest.raises(RuntimeError, match="stop"):
        engine.forward(GIVEN, intervene=fail)
    assert np.array_equal(engine.forward(GIVEN)["logits"], plain)


# What comes back


def loss_and_gradients(engine, ids, targets):
    out = FlatParameters(parameter_specs(engine.graph), engine.dtype)
    out.buffer[:] = np.nan  # Whatever was there is overwritten.
    return engine.loss_and_gradients(ids, targets, out), out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_the_training_step_has_the_loss_and_gradients_of_a_run(option, dtype):
    engine = build(option, dtype=dtype)
    close = {"float32": 1e-5, "float64": 1e-12}[dtype]
    run = engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",))
    back = engine.backward(run)
    loss, gradients = loss_and_gradients(engine, IDS, TARGETS)
    assert isinstance(loss, float)
    assert loss == pytest.approx(float(run["loss"][0]), abs=close, rel=0)
    assert set(back.parameters) == set(gradients) == set(engine.parameters)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, back.parameters[name], rtol=0, atol=close)
        assert np.shares_memory(gradient, gradients.buffer)
        assert back.parameters[name].dtype == gradient.dtype == dtype


def test_keeping_less_gives_the_same_gradients(each_engine):
    runs = [
        each_engine.forward(GIVEN, keep=keep, outputs=("loss",))
        for keep in (Keep.BACKWARD, Keep.EVERYTHING)
    ]
    little, much = (each_engine.backward(run, keep_nodes=each_engine.graph.facts) for run in runs)
    for name, gradient in much.parameters.items():
        assert gradient.tobytes() == little.parameters[name].tobytes()
    for name, gradient in much.nodes.items():
        assert gradient.tobytes() == little.nodes[name].tobytes()


def test_gradients_of_just_these_names_are_kept(each_engine):
    run = each_engine.forward(GIVEN, keep=Keep.BACKWARD, outputs=("loss",))
    every = each_engine.backward(run, keep_nodes=each_engine.graph.facts)
    assert each_engine.backward(run).nodes == {}
    # An alias stands for its tensor; what is on no way to the loss has no gradient.
    some = each_engine.backward(
        run, keep_nodes=["blocks.0.resid_pre", "logits", "blocks.0.attn.pattern.max"]
    )
    own = each_engine.graph.resolve("blocks.0.resid_pre")
    assert set(some.nodes) == {own, "logits"}
    for name, gradient in {**some.nodes, **some.parameters}.items():
        assert gradient.tobytes() == {**every.nodes, **every.parameters}[name].tobytes()


def test_a_gradient_of_no_tensor_cannot_be_kept(engine):
    run = engine.forward(GIVEN, keep=Keep.BACKWARD, outputs=("loss",))
    with pytest.raises(PellucidError, match="Did you mean logits"):
        engine.backward(run, keep_nodes=["logit"])


def test_the_loss_is_the_mean_over_the_targets(each_engine):
    run = each_engine.forward(GIVEN, keep=["logits", "loss.per_position"], outputs=("loss",))
    logits = run["logits"]
    log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    surprise = -np.take_along_axis(log_probs[:, :-1], TARGETS[:, :-1, None], axis=-1)[..., 0]
    np.testing.assert_allclose(run["loss.per_position"][:, :-1], surprise, atol=1e-12)
    assert (run["loss.per_position"][:, -1] == 0).all()
    assert run["loss"][0] == pytest.approx(surprise.mean(), abs=1e-12)


def test_positions_without_a_target_are_ignored(engine_of_any_length):
    sparse = np.full_like(TARGETS, -1)
    sparse[0, 2], sparse[2, 0] = 5, 1
    loss, gradients = loss_and_gradients(engine_of_any_length, IDS, sparse)
    # The same two targets, from texts that are cut off behind them.
    alone = [
        loss_and_gradients(
            engine_of_any_length, IDS[row : row + 1, : t + 1], sparse[row : row + 1, : t + 1]
        )
        for row, t in ((0, 2), (2, 0))
    ]
    assert loss == pytest.approx((alone[0][0] + alone[1][0]) / 2, abs=1e-12)
    for name, gradient in gradients.items():
        halves = (alone[0][1][name] + alone[1][1][name]) / 2
        np.testing.assert_allclose(gradient, halves, rtol=0, atol=1e-12, err_msg=name)


def test_a_tied_heads_gradient_is_the_sum_of_both_uses():
    engine = build("tied head")
    parameters = dict(engine.parameters)
    separate = small_config("as it is")
    parameters["head.w"] = parameters["token_embedding"].T
    untied = NumpyEngine(build_graph(separate), parameters)
    _, tied = loss_and_gradients(engine, IDS, TARGETS)
    _, apart = loss_and_gradients(untied, IDS, TARGETS)
    both = apart["token_embedding"] + apart["head.w"].T
    np.testing.assert_allclose(tied["token_embedding"], both, rtol=0, atol=1e-12)


def test_one_text_of_one_token_can_be_learned_from(each_engine):
    ids, targets = np.array([[3]]), np.array([[7]])
    loss, gradients = loss_and_gradients(each_engine, ids, targets)
    assert np.isfinite(loss)
    assert np.isfinite(gradients.buffer).all()
