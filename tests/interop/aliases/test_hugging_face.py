"""Hugging Face's names stand for what `transformers` computes under them, in every family."""

import numpy as np
import pytest
import torch

import pellucid
from pellucid.decoder.architecture import build_graph
from pellucid.errors import PellucidError
from pellucid.interop.huggingface import read
from tests.interop.huggingface import tiny_models as tiny
from tests.small_models import SMALL

WITHOUT_A_NAME = ("drop", "act", "rotary", "gelu", "layernorm")
"""What modules without parameters are called, and StableLM's norms of many heads."""


def outputs_of(model, ids):
    """What each module gives the first time, [position, …]."""
    found = {}

    def keep(name):
        def hook(module, given, output):
            first = output[0] if isinstance(output, tuple) else output
            if isinstance(first, torch.Tensor) and name not in found:
                found[name] = first.clone().numpy()

        return hook

    hooks = [m.register_forward_hook(keep(name)) for name, m in model.named_modules() if name]
    tiny.logits_of(model, ids)
    for hook in hooks:
        hook.remove()
    return {name: as_ours(array) for name, array in found.items()}


def as_ours(array):
    """One text, the head before the position."""
    one = array[0] if len(array) == 1 else array
    return one.swapaxes(0, 1) if one.ndim == 3 and one.shape[1] == POSITIONS else one


POSITIONS = 7
TIED = SMALL.replace(tied_head=True, head_bias=False)


def cases():
    """Every case of every family, the first of each fast."""
    met = set()
    for name in tiny.CASES:
        family = name.partition(",")[0]
        yield pytest.param(name, marks=pytest.mark.slow if family in met else ())
        met.add(family)


@pytest.fixture(scope="module", params=cases())
def both(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    tiny.make(request.param, folder)
    ids = tiny.random_ids(1, POSITIONS)
    trace = read(folder).trace(ids=ids[0].tolist())
    theirs = tiny.reopened(folder)
    return trace, outputs_of(theirs, ids), theirs.state_dict()


def test_a_module_is_what_it_gives(both):
    trace, outputs, _ = both
    accepted = 0
    for name, theirs in outputs.items():
        own = trace.graph.find(name)
        if own is not None:
            ours = trace[name].values
            flat = ours.swapaxes(0, 1) if ours.ndim == 3 and ours.shape != theirs.shape else ours
            assert flat.shape == theirs.shape, name
            np.testing.assert_allclose(flat, theirs, rtol=1e-3, atol=1e-4, err_msg=name)
            accepted += 1
        elif not any(word in name for word in WITHOUT_A_NAME):
            with pytest.raises(PellucidError, match=r"here it is|ask for one of these"):
                trace[name]
    assert accepted > 20


def test_a_parameter_is_the_same_array_or_is_refused_with_ours(both):
    trace, _, state = both
    for name, theirs in state.items():
        own = trace.graph.find(name)
        if own is not None:
            np.testing.assert_array_equal(trace[name].values, theirs.numpy(), err_msg=name)
        else:
            with pytest.raises(PellucidError, match="here it is") as caught:
                trace[name]
            assert any(own in str(caught.value) for own in trace.parameters), name


def test_a_tied_head_is_the_token_embedding():
    tied, untied = build_graph(TIED), build_graph(SMALL)
    assert tied.resolve("lm_head.weight", or_parameter=True) == "token_embedding"
    with pytest.raises(PellucidError, match=r"here it is head\.w, \[in, out\]"):
        untied.resolve("lm_head.weight", or_parameter=True)


def test_a_block_is_what_the_next_one_reads():
    graph = build_graph(SMALL)
    assert graph.resolve("transformer.h.0") == "blocks.0.resid_post"
    assert graph.resolve("transformer.h.1") == "blocks.1.resid_post"
    with pytest.raises(PellucidError, match="no tensor"):
        graph.resolve("transformer.h.2")


def test_names_go_wherever_ours_go():
    model = pellucid.Model.from_config(TIED, seed=1)
    trace = model.trace(ids=[1, 2, 3], target="next", names=["transformer.h.0.ln_1", "logits"])
    assert trace.names == ("blocks.0.norm1", "logits", "loss")
    assert "transformer.h.0.ln_1" in trace
    assert "transformer.h.0.ln_2" not in trace
    assert trace.grad["transformer.wte.weight"].name == "d loss / d token_embedding"
    assert "transformer.h.0.ln_1" in trace.grad
    whole = model.trace(ids=[1, 2, 3])
    cell = whole.explain("transformer.h.1.mlp.c_fc[position=1, d_mlp=2]")
    assert cell.name == whole.explain("blocks.1.mlp.pre", position=1, d_mlp=2).name


def test_names_are_those_of_edited_tensors():
    model = pellucid.Model.from_config(TIED, seed=1)
    names = ("transformer.h.0.attn", "blocks.0.hook_attn_out", "lm_head", "unembed")
    edits = [pellucid.zero(name) for name in names[::2]]
    trace = model.trace(ids=[1, 2, 3], edits=edits)
    assert [trace[name].name for name in names] == ["blocks.0.attn.out"] * 2 + ["logits"] * 2
    assert not any(trace[name].values.any() for name in names)


def test_a_parameter_is_no_tensor_of_a_run():
    with pytest.raises(PellucidError, match="token_embedding is a parameter"):
        pellucid.Model.from_config(TIED).trace(ids=[1, 2], names=["transformer.wte.weight"])
