"""A run does what is needed, and keeps what it was told to."""

import pytest

from pellucid.engine.plan import Keep, routes
from pellucid.errors import PellucidError
from tests.engine.small_engines import GIVEN, IDS, TARGETS, build, kept, watch
from tests.small_models import OPTIONS

SOME = {"blocks.0.attn.pattern", "blocks.0.attn.pattern.sum", "embed.tokens"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_what_is_kept_changes_no_number(option, dtype):
    engine = build(option, dtype=dtype)
    outputs = ("logits", "probs", "loss.per_position", "loss")
    least = engine.forward(GIVEN, outputs=outputs)
    for keep in (Keep.BACKWARD, Keep.EVERYTHING, SOME):
        run = engine.forward(GIVEN, keep=keep, outputs=outputs)
        for name in outputs:
            assert run[name].tobytes() == least[name].tobytes()
            assert run[name].dtype == dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_run_again_gives_the_same_bytes(dtype):
    first, second = (build(dtype=dtype).forward(GIVEN, keep=Keep.EVERYTHING) for _ in range(2))
    for name in kept(first):
        assert first[name].tobytes() == second[name].tobytes()


def test_nothing_is_kept_but_the_outputs(each_engine):
    assert kept(each_engine.forward(GIVEN)) == {"logits"}
    assert kept(each_engine.forward(GIVEN, outputs=("loss",))) == {"loss"}
    assert kept(each_engine.forward(GIVEN, outputs=("embed.out", "loss"))) == {
        each_engine.graph.resolve("embed.out"),
        "loss",
    }


def test_names_keep_exactly_themselves(engine):
    assert kept(engine.forward(GIVEN, keep=SOME)) == SOME | {"logits"}
    assert kept(engine.forward(GIVEN, keep=SOME, outputs=())) == SOME


def test_names_are_kept_beside_what_backward_reads(each_engine):
    read_back = kept(each_engine.forward(GIVEN, keep=Keep.BACKWARD, outputs=("loss",)))
    both = each_engine.forward(GIVEN, keep={Keep.BACKWARD, *SOME}, outputs=("loss",))
    assert kept(both) == read_back | SOME
    everything = each_engine.forward(GIVEN, keep={Keep.EVERYTHING, "loss"}, outputs=())
    assert kept(everything) == set(each_engine.graph.facts)


def test_an_alias_keeps_the_tensor_it_stands_for(engine):
    run = engine.forward(GIVEN, keep=["blocks.1.resid_pre"], outputs=())
    assert kept(run) == {"blocks.0.resid_post"}


def test_everything_is_every_tensor_of_the_graph(each_engine):
    facts = set(each_engine.graph.facts)
    run = each_engine.forward(GIVEN, keep=Keep.EVERYTHING, outputs=("loss",))
    assert kept(run) == facts
    without_target = each_engine.forward({"ids": IDS}, keep=Keep.EVERYTHING)
    assert kept(without_target) == {name for name in facts if not name.startswith("loss")}


def test_every_tensor_has_the_dims_that_the_graph_says(each_engine):
    graph, positions = each_engine.graph, 4
    short = {"ids": IDS[:2, :positions], "targets": TARGETS[:2, :positions]}
    sizes = {**graph.sizes, **dict.fromkeys(("position", "query", "key"), positions)}
    run = each_engine.forward(short, keep=Keep.EVERYTHING, outputs=("loss",))
    for name, fact in graph.facts.items():
        batch = 1 if name == "loss" else 2
        assert run[name].shape == (batch, *(sizes[dim] for dim in fact.dims)), name


def test_only_the_steps_that_are_needed_are_run(engine):
    seen: list[str] = []
    engine.forward(GIVEN, outputs=("blocks.0.norm1",), intervene=watch(seen))
    assert seen == ["embed.tokens", "embed.positions", "embed.out", "blocks.0.norm1"]


def test_an_unknown_name_is_answered_with_near_ones(engine):
    with pytest.raises(PellucidError, match=r'"logit".*Did you mean logits'):
        engine.forward(GIVEN, outputs=("logit",))
    with pytest.raises(PellucidError, match=r"attn\.patern.*Did you mean .*attn\.pattern"):
        engine.forward(GIVEN, keep=["blocks.0.attn.patern"])


def test_a_step_that_reads_a_tensor_twice_sends_it_two_gradients_that_add_up():
    sent = {"b"}
    assert routes(["a", "a", "b", "c"], sent) == (
        ("a", False),
        ("a", True),
        ("b", True),
        ("c", False),
    )
    assert sent == {"a", "b", "c"}
