"""What holds between the tensors of every trace."""

import numpy as np
import pytest

from pellucid.decoder.graph import GRAPH_INPUTS
from pellucid.decoder.stream import states_of_block
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
        goes_on = "norm1" if trace.config.norm_position == "post" else "resid_mid"
        attended, expanded = added(trace.config)
        halves = [("resid_mid", "resid_pre", attended), ("resid_post", goes_on, expanded)]
        for total, stream, addition in halves if trace.config.mlp else halves[:1]:
            terms = [trace[block + name].values for name in (stream, addition)]
            assert np.array_equal(trace[block + total].values, sum(terms))


def added(config):
    """What attention and the feed-forward network add to the stream."""
    if config.norm_position in ("sandwich", "output"):
        return "norm1_post", "norm2_post"
    return (
        ("attn.out", "mlp.out")
        if config.residual_multiplier == 1
        else ("attn.scaled", "mlp.scaled")
    )


def test_each_block_reads_what_the_one_before_gives(trace):
    gives = states_of_block(trace.config)[-1]
    outputs = ["embed.out", *(block + gives for block in blocks(trace))]
    for block, output in zip(blocks(trace), outputs, strict=False):
        assert trace[f"{block}resid_pre"].name == trace[output].name
    last = trace["final_norm"] if trace.config.final_norm else trace[outputs[-1]]
    weight = "token_embedding" if trace.config.tied_head else "head.w"
    project = [node for node in trace.graph.nodes if weight in node.parameters][-1]
    assert project.inputs == (last.name,)


def test_what_is_out_of_sight_is_minus_infinity_and_the_rest_untouched(trace):
    config = trace.config
    for i, block in enumerate(blocks(trace)):
        masked = trace[f"{block}attn.masked_scores"].values
        scores = trace[trace.graph.node(f"{block}attn.masked_scores").inputs[0]].values
        hidden = np.triu(np.ones(scores.shape[-2:], dtype=bool), k=1)
        if config.window and (not config.window_layers or config.window_layers[i]):
            hidden |= np.tril(np.ones_like(hidden), k=-config.window)
        assert (masked[:, hidden] == -np.inf).all()
        assert np.array_equal(masked[:, ~hidden], scores[:, ~hidden])
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
        q = trace[trace.graph.node(f"{block}attn.scores").inputs[0]].values
        k, v = (trace[f"{block}attn.{which}"].values for which in ("keys", "values"))
        k, v = (shared.repeat(group, axis=0) for shared in (k, v))
        scale = trace.config.attention_scale or 1 / np.sqrt(trace.config.d_head)
        scores = q @ k.swapaxes(-1, -2) * scale
        close(trace[f"{block}attn.scores"].values, scores)
        close(trace[f"{block}attn.z"].values, trace[f"{block}attn.pattern"].values @ v)


def test_norms_bring_every_position_to_one_scale(trace):
    norms = [name.removesuffix(".normalized") for name in trace.names if ".normalized" in name]
    assert len(norms) == sum(name.endswith(".gamma") for name in trace.parameters)
    for name in norms:
        x = trace[trace.graph.node(name).inputs[0]].values
        if trace.config.norm == "layer":
            close(trace[f"{name}.mean"].values, x.mean(axis=-1))
            x = x - x.mean(axis=-1, keepdims=True)
        scale = 1 / np.sqrt((x**2).mean(axis=-1) + trace.config.norm_epsilon)
        close(trace[f"{name}.{'rstd' if trace.config.norm == 'layer' else 'rrms'}"].values, scale)
        normalized = trace[f"{name}.normalized"].values
        close(normalized, x * scale[..., None])
        gain = trace[f"{name}.gamma"].values
        has_shift = f"{name}.beta" in trace.parameters
        shift = trace[f"{name}.beta"].values if has_shift else np.zeros_like(gain)
        if trace.config.norm_unit_offset:
            gain = 1 + gain
        if gain.ndim == 2:  # Of each head.
            gain, shift = gain[:, None], shift[:, None]
        # Bare, a norm is after gain and shift; ".normalized" is before them.
        close(trace[name].values, normalized * gain + shift)


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
        "lengths": np.array([len(trace.ids)]),
    }
    # Dropout alone reads noise, in training, and edits alone the step of a generation.
    assert set(given) == set(GRAPH_INPUTS) - {"noise", "step"}
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
