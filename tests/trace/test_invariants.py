"""What holds between the tensors of every trace."""

import numpy as np
import pytest

from pellucid.decoder.graph import GRAPH_INPUTS
from tests.small_models import OPTIONS, random_ids, small_model


@pytest.fixture(params=OPTIONS)
def trace(request):
    model = small_model(request.param)
    return model.trace(ids=random_ids(model.config, batch=1)[0], target="next")


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)


def blocks(trace):
    return [f"blocks.{i}." for i in range(trace.config.n_layer)]


def test_the_stream_adds_up(trace):
    for block in blocks(trace):
        value = {
            name: trace[block + name].values
            for name in (
                "resid_pre",
                "attn.out",
                "resid_mid",
                "norm1",
                "norm2",
                "mlp.out",
                "resid_post",
            )
        }
        assert np.array_equal(value["resid_mid"], value["resid_pre"] + value["attn.out"])
        goes_on = "resid_mid" if trace.config.norm_position == "pre" else "norm1"
        assert np.array_equal(value["resid_post"], value[goes_on] + value["mlp.out"])


def test_each_block_reads_what_the_one_before_gives(trace):
    gives = "resid_post" if trace.config.norm_position == "pre" else "norm2"
    outputs = ["embed.out", *(block + gives for block in blocks(trace))]
    for block, output in zip(blocks(trace), outputs, strict=False):
        assert trace[f"{block}resid_pre"].name == trace[output].name
    last = trace["final_norm"] if trace.config.final_norm else trace[outputs[-1]]
    assert trace.graph.node("logits").inputs == (last.name,)


def test_the_future_is_minus_infinity_and_the_past_untouched(trace):
    for block in blocks(trace):
        scores = trace[f"{block}attn.scores"].values
        masked = trace[f"{block}attn.masked_scores"].values
        future = np.triu(np.ones(scores.shape[-2:], dtype=bool), k=1)
        assert (masked[:, future] == -np.inf).all()
        assert np.array_equal(masked[:, ~future], scores[:, ~future])
        assert np.isfinite(scores).all()


def test_attention_is_shared_out_among_the_past(trace):
    for block in blocks(trace):
        pattern = trace[f"{block}attn.pattern"].values
        close(pattern.sum(axis=-1), 1)
        assert (pattern >= 0).all()
        future = np.triu(np.ones(pattern.shape[-2:], dtype=bool), k=1)
        assert (pattern[:, future] == 0).all()
        assert (pattern[:, 0, 0] == 1).all()


def test_scores_and_mix_are_products(trace):
    group = trace.config.n_head // trace.config.n_kv_head
    for block in blocks(trace):
        q, k, v = (trace[f"{block}attn.{which}"].values for which in "qkv")
        k, v = (shared.repeat(group, axis=0) for shared in (k, v))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(trace.config.d_head)
        close(trace[f"{block}attn.scores"].values, scores)
        close(trace[f"{block}attn.z"].values, trace[f"{block}attn.pattern"].values @ v)


def test_norms_bring_every_position_to_one_scale(trace):
    norms = [name.removesuffix(".normalized") for name in trace.names if ".normalized" in name]
    assert len(norms) == 2 * trace.config.n_layer + trace.config.final_norm
    for name in norms:
        x = trace[trace.graph.node(name).inputs[0]].values
        mean, rstd = x.mean(axis=-1), 1 / np.sqrt(x.var(axis=-1) + trace.config.norm_epsilon)
        close(trace[f"{name}.mean"].values, mean)
        close(trace[f"{name}.rstd"].values, rstd)
        normalized = trace[f"{name}.normalized"].values
        close(normalized, (x - mean[:, None]) * rstd[:, None])
        shift = trace[f"{name}.beta"].values if trace.config.norm_bias else 0
        # Bare, a norm is after gain and shift; ".normalized" is before them.
        close(trace[name].values, normalized * trace[f"{name}.gamma"].values + shift)


def test_probabilities_are_the_softmax_of_the_logits(trace):
    logits, probs = trace["logits"].values, trace["probs"].values
    close(probs, np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True))
    close(probs.sum(axis=-1), 1)


def test_the_loss_is_the_mean_surprise_at_the_next_tokens(trace):
    probs = trace["probs"].values
    surprise = -np.log([row[token] for row, token in zip(probs, trace.ids[1:], strict=False)])
    close(trace["loss.per_position"].values, [*surprise, 0])
    assert trace.loss == pytest.approx(surprise.mean(), abs=1e-12)
    assert trace["loss"].values == trace.loss


def test_every_tensor_is_its_operation_on_the_stored_inputs(trace):
    given = {
        "ids": np.array([trace.ids]),
        "positions": np.arange(len(trace.ids))[None],
        "targets": np.array([trace.targets]),
    }
    assert set(given) == set(GRAPH_INPUTS) - {"noise"}  # Dropout alone reads noise, in training.
    stored = {name: trace[name].values[None] for name in trace.names}
    for node in trace.graph.nodes:
        inputs = [given[name] if name in given else stored[name] for name in node.inputs]
        parameters = [trace[name].values for name in node.parameters]
        output, extras = node.op.forward(inputs, parameters)
        made = {node.name: output}
        made |= dict(zip([fact.name for fact in node.extras], extras, strict=True))
        for name, array in made.items():
            close(array.reshape(stored[name].shape), stored[name])


def test_a_trace_computes_what_an_untraced_run_computes():
    for option in OPTIONS:
        model = small_model(option, dtype="float32")
        ids = random_ids(model.config, batch=1)
        traced = model.trace(ids=ids[0])["logits"].values
        assert traced.tobytes() == model.logits(ids).tobytes(), option
