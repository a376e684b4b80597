"""TransformerLens' names stand for what TransformerLens computes under them.

The numbers are those of its version 2.16.1, whose models were given the weights of ours.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

import pellucid
from pellucid.decoder.architecture import build_graph
from pellucid.errors import PellucidError
from pellucid.interop.aliases.transformer_lens import IN_BLOCKS, NOT_THE_SAME, OUTSIDE, translate
from tests.small_models import SMALL

RECORD = Path(__file__).parents[2] / "data" / "transformer_lens.safetensors"


def graph_of(**options):
    return build_graph(SMALL.replace(**options))


@pytest.fixture(scope="module")
def recorded():
    """Each model, traced, with what TransformerLens found: activations and parameters."""
    found = {}
    with safe_open(RECORD, "np") as file:
        about = file.metadata()
        arrays = {name: file.get_tensor(name) for name in [*file.keys()]}
    for label, fields in json.loads(about["configs"]).items():
        ours, parameters, activations = (
            {
                name.removeprefix(start): array
                for name, array in arrays.items()
                if name.startswith(start)
            }
            for start in (f"{label}/{kind}/" for kind in ("ours", "parameters", "activations"))
        )
        model = pellucid.Model(pellucid.ModelConfig.from_dict(fields), ours)
        found[label] = model.trace(ids=json.loads(about["ids"])), activations, parameters
    return found


LABELS = ("gpt2", "llama", "gemma2")


@pytest.mark.parametrize("label", LABELS)
def test_an_activation_is_the_tensor_of_its_name(label, recorded):
    trace, activations, _ = recorded[label]
    accepted = set()
    for name, theirs in activations.items():
        if name.endswith("hook_scale"):
            continue
        tensor = trace[name]
        by_head = tensor.dims[0] in ("head", "kv_head") and tensor.dims[1] == "position"
        ours = tensor.values.swapaxes(0, 1) if by_head else tensor.values
        if label == "gpt2" and name.endswith("hook_normalized"):
            # Without folding, its layer norms alone call so what has gain and shift already.
            tensor = trace[tensor.name.removesuffix(".normalized")]
            ours = tensor.values
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-6, err_msg=name)
        accepted.add(name)
    assert len(accepted) > 25


@pytest.mark.parametrize("label", LABELS)
def test_a_parameter_is_the_one_of_its_name_or_is_refused_with_ours(label, recorded):
    trace, _, parameters = recorded[label]
    for name, theirs in parameters.items():
        own = trace.graph.find(name)
        if own is not None:
            np.testing.assert_array_equal(trace[name].values, theirs, err_msg=name)
        elif theirs.any():  # What is 0 here is a bias that this model has not.
            with pytest.raises(PellucidError, match=r"ask for that\.$") as caught:
                trace[name]
            assert any(own in str(caught.value) for own in trace.parameters)


def test_what_divides_is_one_divided_by_ours(recorded):
    for label in LABELS:
        trace, activations, _ = recorded[label]
        for name in (name for name in activations if name.endswith("hook_scale")):
            with pytest.raises(PellucidError, match=r"is 1 divided by") as caught:
                trace[name]
            (ours,) = (own for own in trace.names if f" {own}:" in str(caught.value))
            np.testing.assert_allclose(1 / trace[ours].values, activations[name][:, 0], rtol=1e-5)


def test_the_gate_is_what_the_activation_reads():
    gated = graph_of(gated_mlp=True, activation="silu")
    assert gated.resolve("blocks.1.mlp.hook_pre") == "blocks.1.mlp.gate"
    assert gated.resolve("blocks.1.mlp.hook_pre_linear") == "blocks.1.mlp.pre"
    plain = graph_of()
    assert plain.resolve("blocks.1.mlp.hook_pre") == "blocks.1.mlp.pre"
    with pytest.raises(PellucidError, match="no tensor"):
        plain.resolve("blocks.1.mlp.hook_pre_linear")


def test_what_a_half_adds_has_its_factor_in_it():
    graph = graph_of(residual_multiplier=0.5)
    assert graph.resolve("blocks.0.hook_attn_out") == "blocks.0.attn.scaled"
    assert graph.resolve("blocks.0.hook_mlp_out") == "blocks.0.mlp.scaled"


def test_the_embedding_is_what_enters_the_stream():
    assert graph_of(embedding_scale=3.0).resolve("hook_embed") == "embed.scaled"
    assert graph_of(embedding_norm=True).resolve("hook_embed") == "embed.norm"
    with pytest.raises(PellucidError, match=r"embed\.scaled's factor"):
        graph_of(embedding_scale=3.0).resolve("embed.W_E", or_parameter=True)


def test_the_head_gives_logits_before_their_cap():
    assert graph_of(logit_softcap=2.0).resolve("unembed") == "uncapped_logits"
    assert graph_of(logit_multiplier=2.0).resolve("hook_unembed") == "unscaled_logits"
    assert graph_of(tied_head=True).resolve("unembed") == "logits"


def test_queries_that_are_normalised_all_at_once_are_no_hook_q():
    graph = graph_of(query_key_norm="all", norm="rms", norm_bias=False)
    with pytest.raises(PellucidError, match=r"blocks\.0\.attn\.q_flat: ask for that"):
        graph.resolve("blocks.0.attn.hook_q")
    by_head = graph_of(query_key_norm="head", norm="rms", norm_bias=False)
    assert by_head.resolve("blocks.0.attn.hook_q") == "blocks.0.attn.q"


def test_gains_kept_as_what_they_differ_from_one_by_are_no_w():
    graph = graph_of(norm="rms", norm_bias=False, norm_unit_offset=True)
    with pytest.raises(PellucidError, match=r"1 more than blocks\.0\.norm1\.gamma"):
        graph.resolve("blocks.0.ln1.w", or_parameter=True)


def test_a_name_of_a_block_that_is_not_there_is_none_of_this_model():
    graph = graph_of()
    for name in ("hook_attn_out", "mlp.hook_pre", "attn.hook_q", "attn.W_Q", "hook_resid_pre"):
        assert translate(f"blocks.9.{name}", graph) is None


def test_every_name_of_the_tables_leads_somewhere():
    """In a model that has all of it, each name is accepted or refused with a name of ours."""
    graph = graph_of(norm_position="sandwich", gated_mlp=True, activation="silu", head_bias=True)
    rotary = graph_of(position="rotary", norm_position="sandwich")
    inside = [f"blocks.0.{local}" for local in (*IN_BLOCKS, *NOT_THE_SAME) if "final" not in local]
    for name in (*OUTSIDE, *inside, "ln_final.hook_scale"):
        home = rotary if "rot_" in name else graph
        assert home.find(name) or refused_with_ours(name, home), name


def refused_with_ours(name, graph):
    with pytest.raises(PellucidError) as caught:
        translate(name, graph)
    known = (*graph.facts, *graph.aliases, *graph.parameters)
    return any(f" {own}:" in str(caught.value) for own in known)
