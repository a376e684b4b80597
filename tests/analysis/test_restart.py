"""A run goes on from any tensor with what is read beside it, and ends where the whole one does."""

import numpy as np
import pytest

from pellucid.analysis.restart import last_logits, read_beside
from pellucid.engine.plan import Keep
from tests.small_models import OPTIONS, random_ids, small_model


@pytest.mark.parametrize("option", OPTIONS)
def test_a_run_from_any_tensor_ends_with_the_logits_of_the_whole(option):
    model = small_model(option)
    ids = random_ids(model.config, batch=1)
    whole = model.engine.forward({"ids": ids}, keep=Keep.EVERYTHING)
    for node in model.graph.needed_for(frozenset({"logits"})):
        if node.name == "logits":
            continue
        names = (node.name, *read_beside(model.graph, node.name))
        twice = {name: np.repeat(whole[name], 2, axis=0) for name in names}
        logits = last_logits(model.engine, ids[0], twice)
        for text in logits:
            np.testing.assert_allclose(
                text, whole["logits"][0, -1], rtol=0, atol=1e-12, err_msg=node.name
            )


@pytest.mark.parametrize("option", OPTIONS)
def test_nothing_that_is_read_beside_a_tensor_follows_from_it(option):
    graph = small_model(option).graph
    for node in graph.needed_for(frozenset({"logits"})):
        for beside in read_beside(graph, node.name):
            made_of = {each.name for each in graph.needed_for(frozenset({beside}))}
            assert node.name not in made_of


def test_a_head_is_added_to_the_stream_before_it():
    graph = small_model().graph
    assert read_beside(graph, "blocks.1.attn.z") == ("blocks.0.resid_post",)
    assert read_beside(graph, "blocks.1.attn.q") == (
        "blocks.1.attn.keys",
        "blocks.1.attn.values",
        "blocks.0.resid_post",
    )
    assert read_beside(graph, "blocks.1.resid_mid") == ()
