"""A trace holds against itself, and what is planted in one is found at the right tensor."""

from dataclasses import fields, replace

import numpy as np
import pytest

import pellucid
from pellucid.decoder.graph import Graph
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError
from pellucid.ops.attention import Mix, Scores
from pellucid.ops.gelu import Gelu
from pellucid.ops.layer_norm import LayerNorm
from pellucid.ops.linear import Linear
from pellucid.ops.loss import CrossEntropy
from pellucid.ops.mask import CausalMask
from pellucid.ops.relu import Relu
from pellucid.ops.softmax import Softmax
from pellucid.trace.finding import Finding, finding, part, sample, worst_of
from pellucid.trace.record import record
from tests.small_models import random_ids, small_model
from tests.traces import MODELS, model_of, trace_of

CHECKS = {
    "worked out again",
    "the stream adds up",
    "rows sum to 1",
    "the future shut out",
    "same without the last token",
    "same one token at a time",
}
WITH_A_TARGET = {
    "gradient worked out again",
    "gradient rows sum to 0",
    "gradient as in float64",
    "finite differences",
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_sound_trace_holds(name, dtype):
    found = trace_of(name, dtype).check(cells=3)
    assert found.holds, found.first
    assert found.first is None
    assert {finding.check for finding in found.findings} == CHECKS | WITH_A_TARGET


@pytest.mark.parametrize("name", ["like phi 3, long", "dynamic rotary scaling"])
def test_a_text_that_outgrew_its_context_is_not_held_to_its_beginning(name):
    trace = trace_of(name, positions=6)
    found = trace.check(cells=3)
    assert found.holds, found.first
    # Of five tokens a text of longrope turns as one of six does; of two it would not.
    beginning = {"same without the last token"} if "phi" in name else set()
    lacking = {"same one token at a time", "same without the last token"} - beginning
    assert {f.check for f in found.findings} == (CHECKS | WITH_A_TARGET) - lacking


def test_every_tensor_parameter_and_gradient_is_looked_at():
    trace = trace_of("as it is")
    found = trace.check(cells=2).findings
    assert {f.tensor for f in found if f.check == "worked out again"} == set(trace.names)
    assert {f.tensor for f in found if f.check == "gradient worked out again"} == set(trace.grad)
    assert {f.tensor for f in found if f.check == "gradient as in float64"} == set(trace.parameters)


def test_all_cells_are_all_cells():
    trace = trace_of("one layer", positions=3)
    for found in trace.check(all_cells=True).findings:
        if found.check == "worked out again":
            assert found.cells == trace[found.tensor].values.size
        if found.check == "gradient worked out again":
            assert found.cells == trace.gradients[found.tensor].size


@pytest.mark.parametrize(
    ("setting", "least"), [({"cells": 0}, 1), ({"cells": 1.5}, 1), ({"seed": -1}, 0)]
)
def test_a_setting_out_of_range_is_refused(setting, least):
    ((name, value),) = setting.items()
    with pytest.raises(PellucidError) as error:
        trace_of("one layer").check(**setting)
    assert str(error.value) == f"{name}={value}: give a whole number, {least} or more."


def test_without_a_target_there_are_no_gradients_to_check():
    found = model_of("baby-groot").trace("i am groot").check()
    assert found.holds
    assert {finding.check for finding in found.findings} == CHECKS


def test_one_token_is_enough():
    assert model_of("baby-groot").trace(ids=[1], target=8).check().holds


def test_the_same_seed_looks_at_the_same_cells():
    trace = trace_of("baby-groot", "float32")
    one, again, other = (trace.check(cells=2, seed=seed).findings for seed in (0, 0, 1))
    assert one == again
    assert one != other


def test_a_part_of_a_trace_says_what_is_missing():
    part_of_it = small_model().trace(ids=[1, 2], names=["logits"])
    with pytest.raises(PellucidError, match=r'final_norm was not kept .* names=\["final_norm"\]'):
        part_of_it.check()


# Planted values


def with_one_value_changed(trace, name, cell):
    """The same trace, one number of one tensor moved by a thousandth of the tensor's largest."""
    values = trace.values[name].copy()
    finite = values[np.isfinite(values)]
    values[cell] = values[cell] + 1e-3 * (np.abs(finite).max() or 1)
    values.flags.writeable = False
    return replace(trace, values={**trace.values, name: values}, memory={})


SMALLEST = model_of("one layer", "float32").trace(ids=[3, 1, 4])


@pytest.mark.parametrize("name", SMALLEST.names)
def test_a_changed_value_is_found_where_it_is(name):
    trace = SMALLEST
    cell = tuple(size // 2 for size in trace.values[name].shape)
    if name.endswith("masked_scores"):
        cell = (0, 2, 1)
    found = with_one_value_changed(trace, name, cell).check(all_cells=True)
    assert not found.holds
    assert found.first.tensor == name


def test_a_changed_loss_is_found():
    trace = trace_of("one layer", "float32")
    for name in ("loss", "loss.per_position", "loss.per_position.log_sum"):
        cell = (1,) * trace.values[name].ndim
        assert with_one_value_changed(trace, name, cell).check().first.tensor == name


@pytest.mark.parametrize("name", ["blocks.0.attn.q", "final_norm", "head.w", "blocks.0.mlp.b_in"])
def test_a_changed_gradient_is_found_where_it_is(name):
    trace = trace_of("one layer", "float32", 3)
    gradient = trace.gradients[name].copy()
    gradient.flat[1] += 1e-2 * np.abs(gradient).max()
    changed = replace(trace, gradients={**trace.gradients, name: gradient}, memory={})
    found = changed.check(all_cells=True)
    wrong = next(each for each in found.findings if each.tensor == name and not each.holds)
    assert wrong.where.endswith("=1")


def test_a_leaking_future_is_found():
    trace = trace_of("baby-groot")
    leaking = with_one_value_changed(trace, "blocks.0.attn.pattern", (0, 0, 2))
    wrong = [f for f in leaking.check(all_cells=True).findings if not f.holds]
    assert ("blocks.0.attn.pattern", "the future shut out") in {(f.tensor, f.check) for f in wrong}
    assert "rows sum to 1" in {f.check for f in wrong}


def test_not_a_number_never_holds():
    trace = trace_of("baby-groot")
    values = trace.values["blocks.0.mlp.out"].copy()
    values[1, 2] = np.nan
    broken = replace(trace, values={**trace.values, "blocks.0.mlp.out": values}, memory={})
    found = broken.check(all_cells=True)
    assert (found.first.tensor, found.first.worst) == ("blocks.0.mlp.out", np.inf)


# Planted operations: each goes forwards or backwards as it should not, and explains as it should


class ReluOfTheWrongSign(Relu):
    def backward(self, grad, inputs, parameters, output, extras):
        return (grad * (output <= 0),), ()


class GeluWithoutItsSlope(Gelu):
    def backward(self, grad, inputs, parameters, output, extras):
        return (grad * extras[0],), ()


class NormThatForgetsTheMean(LayerNorm):
    def backward(self, grad, inputs, parameters, output, extras):
        return (grad * parameters[0] * extras[1][..., None],), super().backward(
            grad, inputs, parameters, output, extras
        )[1]


class SoftmaxThatForgetsTheSum(Softmax):
    def backward(self, grad, inputs, parameters, output, extras):
        return (grad * output,), ()


class LinearThatForgetsItsBias(Linear):
    def backward(self, grad, inputs, parameters, output, extras):
        to_inputs, (w, b) = super().backward(grad, inputs, parameters, output, extras)
        return to_inputs, (w, b / grad.shape[1])


class MixOfTheWrongSide(Mix):
    def backward(self, grad, inputs, parameters, output, extras):
        (pattern, values), none = super().backward(grad, inputs, parameters, output, extras)
        assert values is not None
        return (pattern, values * 1.01), none


class ScoresScaledByTheModelsWidth(Scores):
    def forward(self, inputs, parameters):
        q, keys = inputs
        return (q @ keys.mT) / np.sqrt(q.shape[1] * q.shape[3]).astype(q.dtype), ()


class MaskOffByOne(CausalMask):
    def forward(self, inputs, parameters):
        scores, positions = inputs
        seen = np.arange(scores.shape[-1]) <= positions[:, None, :, None] + 1
        return np.where(seen, scores, scores.dtype.type(-np.inf)), ()


class MaskThatForgetsWhatWasReadBefore(CausalMask):
    def forward(self, inputs, parameters):
        scores, positions = inputs
        return super().forward([scores, positions - positions[:, :1]], parameters)


class EpsilonOutsideTheRoot(LayerNorm):
    def forward(self, inputs, parameters):
        x = inputs[0]
        mean = x.mean(axis=-1, keepdims=True)
        rstd = 1 / (x.std(axis=-1, keepdims=True) + self.epsilon)
        normalized = (x - mean) * rstd
        out = normalized * parameters[0] + parameters[1]
        return out, (mean[..., 0], rstd[..., 0], normalized)


def planted(name, step, wrong):
    """A trace of a model one of whose steps is done by the wrong operation."""
    model = model_of(name, "float32")
    nodes = []
    for node in model.graph.nodes:
        if node.name == step:
            settings = {f.name: getattr(node.op, f.name) for f in fields(node.op)}
            node = replace(node, op=wrong(**settings))
        nodes.append(node)
    graph = Graph(tuple(nodes), model.graph.aliases, model.graph.sizes)
    ids = trace_of(name).ids
    return record(
        NumpyEngine(graph, model.parameters),
        config=model.config,
        parameters=model.labelled_parameters,
        ids=ids,
        tokens=[str(i) for i in ids],
        vocabulary=None,
        targets=[*ids[1:], -1],
    )


@pytest.mark.parametrize(
    ("name", "step", "wrong", "tensor", "check"),
    [
        ("relu", "blocks.0.mlp.post", ReluOfTheWrongSign, "blocks.0.mlp.pre", "gradient"),
        ("gelu", "blocks.1.mlp.post", GeluWithoutItsSlope, "blocks.1.mlp.pre", "gradient"),
        ("as it is", "blocks.1.norm2", NormThatForgetsTheMean, "blocks.1.resid_mid", "gradient"),
        (
            "as it is",
            "blocks.0.attn.pattern",
            SoftmaxThatForgetsTheSum,
            "blocks.0.attn.masked_scores",
            "gradient",
        ),
        (
            "as it is",
            "blocks.1.mlp.out",
            LinearThatForgetsItsBias,
            "blocks.1.mlp.b_out",
            "gradient",
        ),
        ("as it is", "blocks.0.attn.z", MixOfTheWrongSide, "blocks.0.attn.values", "gradient"),
        (
            "as it is",
            "blocks.0.attn.scores",
            ScoresScaledByTheModelsWidth,
            "blocks.0.attn.scores",
            "worked",
        ),
        (
            "as it is",
            "blocks.1.attn.masked_scores",
            MaskOffByOne,
            "blocks.1.attn.masked_scores",
            "worked",
        ),
        (
            "as it is",
            "blocks.1.attn.masked_scores",
            MaskThatForgetsWhatWasReadBefore,
            "logits",
            "same one token at a time",
        ),
        (
            "large norm epsilon",
            "blocks.0.norm1",
            EpsilonOutsideTheRoot,
            "blocks.0.norm1.rstd",
            "worked",
        ),
    ],
)
def test_a_wrong_operation_is_found_at_its_tensor(name, step, wrong, tensor, check):
    found = planted(name, step, wrong).check()
    assert found.first is not None
    assert found.first.tensor == tensor
    assert found.first.check.startswith(check)


class LossThatForgetsItsTarget(CrossEntropy):
    def backward(self, grad, inputs, parameters, output, extras):
        logits, targets = inputs
        shares = np.exp(logits - extras[0][..., None])
        return (shares * (grad * (targets >= 0))[..., None], None), ()


def test_a_lost_target_is_found_whatever_cells_are_looked_at():
    found = planted("as it is", "loss.per_position", LossThatForgetsItsTarget).check(cells=1)
    assert found.first is not None
    assert found.first.tensor == "logits"
    wrong = {(f.tensor, f.check) for f in found.findings if not f.holds}
    assert ("logits", "gradient rows sum to 0") in wrong


class ReluThatBelievesInHalf(Relu):
    def backward(self, grad, inputs, parameters, output, extras):
        return (grad * (output > 0) / 2,), ()

    def slope(self, seen, operand, cell):
        return replace(super().slope(seen, operand, cell), scale=0.5)


def test_a_wrong_derivative_that_explains_itself_is_found_by_moving_weights():
    found = planted("relu", "blocks.0.mlp.post", ReluThatBelievesInHalf).check()
    assert found.first is not None
    assert found.first.check == "finite differences"
    assert found.first.tensor == "blocks.0.mlp.w_in"


# Findings


def test_errors_are_parts_of_what_is_allowed():
    assert [part(0.5, 1.0), part(0.0, 0.0), part(1e-9, 0.0)] == [0.5, 0, np.inf]


def test_a_finding_names_its_worst_cell():
    trace = trace_of("baby-groot")
    errors = np.zeros(trace.values["logits"].shape)
    errors[2, 5] = 0.7
    found = finding(trace, "logits", "a check", errors)
    word = trace.vocabulary[5]
    token = trace.tokens[2] if trace.tokens.count(trace.tokens[2]) == 1 else f"{trace.tokens[2]}@2"
    assert found == Finding("logits", "a check", errors.size, 0.7, f"{token}, {word}")
    assert found.holds
    assert not worst_of(trace, "loss", "a check", [(0.1, ()), (np.nan, ())]).holds
    assert worst_of(trace, "loss", "a check", []).holds


def test_a_sample_has_each_cell_at_most_once():
    rng = np.random.default_rng(0)
    assert sample((2, 3), None, rng) == list(np.ndindex(2, 3))
    assert sample((), 8, rng) == [()]
    drawn = sample((40, 50), 8, rng)
    assert len(set(drawn)) == len(drawn) <= 8
    assert all(0 <= i < 40 and 0 <= j < 50 for i, j in drawn)


STATISTICS = {"as it is": "blocks.1.norm1.rstd", "like llama 3": "blocks.1.norm1.rrms"}


@pytest.mark.parametrize("option", STATISTICS)
def test_a_statistic_below_0_as_no_run_has_it_is_held_to_what_follows_from_it(option):
    for name in ("blocks.0.attn.pattern.sum", STATISTICS[option]):
        found = edited_trace(option, pellucid.set_to(name, -1)).check(cells=3)
        assert found.holds, found.first


@pytest.mark.parametrize("option", STATISTICS)
def test_numbers_that_an_edit_makes_infinite_do_not_hold_and_stop_no_check(option):
    edits = pellucid.zero("blocks.0.attn.pattern.sum"), pellucid.set_to(STATISTICS[option], -np.inf)
    for edit in edits:
        found = edited_trace(option, edit).check(cells=3)
        assert found.first is not None
        assert found.first.worst == np.inf


def edited_trace(option, edit):
    model = small_model(option)
    ids = random_ids(model.config, 1, 4)[0].tolist()
    return model.trace(ids=ids, target="next", edits=[edit])
