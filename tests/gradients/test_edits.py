"""Gradients through edits: NumPy's, torch's, and what the loss does when a number is moved."""

import numpy as np
import pytest

import pellucid
from pellucid.engine.plan import Keep
from pellucid.trace.editing import Editing
from tests.gradients.finite_differences import assert_slopes, slopes
from tests.small_models import WORDS, next_targets, small_model

pytestmark = pytest.mark.usefixtures("one_torch_thread")

PROMPT = "ash bud elm oak"
ARCHITECTURES = ("as it is", "post norm, grouped, no attention output", "like gemma 2")


def edits(trace):
    """One of each, and several on one tensor."""
    return [
        pellucid.zero("blocks.0.attn.pattern", head=0),
        pellucid.scale("blocks.0.attn.pattern", -2, head=1, query=[2, 3]),
        pellucid.set_to("blocks.0.attn.pattern", 0.3, head=1, key="ash"),
        pellucid.scale("blocks.0.attn.masked_scores", 3, query="elm"),
        pellucid.mask_attention(query="oak", key="bud", layer=1),
        pellucid.add("blocks.0.resid_mid", np.arange(8.0) / 9, position=-1),
        pellucid.mean_over("blocks.0.mlp.post", "position", d_mlp=slice(0, 5)),
        pellucid.copy_from("blocks.1.attn.values", trace, key=2),
        pellucid.scale("blocks.1.attn.keys", 1.5, d_head=0),
        pellucid.mean_over("blocks.1.attn.z", "head", position=1),
        pellucid.set_to("blocks.1.mlp.w_in", 0.2, d_mlp=3),
        pellucid.scale("logits", 0.7),
        pellucid.add("loss.per_position", 2, position=1),
        pellucid.scale("loss", 3),
    ]


@pytest.fixture(params=ARCHITECTURES)
def setting(request):
    model = small_model(request.param, tokenizer=WORDS)
    plain = model.trace("oak elm bud ash")
    ids = np.array([model.trace(PROMPT).ids])
    editing = Editing.of(
        edits(plain),
        model.graph,
        model.labelled_parameters,
        tokens=model.labels(ids[0].tolist()),
    )
    return model, editing, {"ids": ids, "targets": next_targets(ids)}


def test_numpy_and_torch_agree_in_every_value_and_gradient(setting):
    model, editing, given = setting
    names = [node.name for node in editing.graph.nodes]
    runs, backs = [], []
    for engine in (model.engine, model.using("torch", device="cpu").engine):
        edited = editing.engine(engine)
        assert type(edited) is type(engine)
        run = edited.forward(given, keep={Keep.EVERYTHING}, outputs=("loss",))
        runs.append(run)
        backs.append(edited.backward(run, keep_nodes=names))
    for name in editing.graph.facts:
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-10, err_msg=name)
    ours, theirs = backs
    assert set(ours.nodes) == set(theirs.nodes)
    for one, other in ((ours.nodes, theirs.nodes), (ours.parameters, theirs.parameters)):
        for name, array in one.items():
            np.testing.assert_allclose(other[name], array, rtol=0, atol=1e-9, err_msg=name)


def test_they_are_what_the_loss_does(setting):
    model, editing, given = setting
    engine = editing.engine(model.engine)
    run = engine.forward(given, keep=Keep.EVERYTHING, outputs=("loss",))
    back = engine.backward(run, keep_nodes=editing.graph.facts)
    rng = np.random.default_rng(0)
    for name, gradient in back.nodes.items():
        value = run[name].copy()

        def loss(name=name, value=value):
            put = engine.forward(
                given, outputs=("loss",), intervene=lambda step, x: value if step == name else x
            )
            return float(put["loss"][0])

        movable = np.flatnonzero(np.isfinite(value))
        cells = rng.choice(movable, min(4, movable.size), replace=False)
        assert_slopes(gradient, slopes(loss, value, cells), cells)


def test_what_was_replaced_gets_none_and_what_was_scaled_its_share(setting):
    model, editing, given = setting
    engine = editing.engine(model.engine)
    run = engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
    nodes = engine.backward(run, keep_nodes=editing.graph.facts).nodes
    name = "blocks.0.attn.pattern"
    assert not nodes[f"{name}.unedited"][:, 0].any()
    assert nodes[name][:, 0].any()
    # The second edit scales by −2, what it leaves goes on to the third, which replaces a key.
    scaled, then = nodes[f"{name}.edited_1"], nodes[f"{name}.edited_2"]
    np.testing.assert_array_equal(scaled[:, 1, 2:4], -2 * then[:, 1, 2:4])
    assert not then[:, 1, :, 1].any()
    np.testing.assert_array_equal(then[:, 2:], nodes[name][:, 2:])


def test_a_traced_gradient_is_explained_through_its_edits():
    model = small_model(tokenizer=WORDS)
    trace = model.trace(PROMPT, target="next", edits=edits(model.trace("oak elm bud ash")))
    assert trace.check(all_cells=False, cells=4).holds
    cell = {"head": 0, "query": "elm", "key": "ash"}
    explained = trace.explain_grad("blocks.0.attn.pattern.unedited", **cell)
    assert explained.value == 0
    assert "edited" in explained.formula
