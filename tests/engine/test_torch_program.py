"""How a graph is cut into calls: what is fused, what goes from part to part."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.engine.torch_ops import attention, mean_cross_entropy
from pellucid.engine.torch_program import block_of, parts, path_of
from pellucid.errors import PellucidError
from tests.small_models import OPTIONS, small_config

GRAPH = build_graph(small_config())
SWALLOWED = ("attn.scores", "attn.masked_scores", "attn.pattern", "attn.pattern.max")


def steps_of(found):
    """What the parts make, by name; picking one place has none."""
    return [step.name for part in found for step in part.program.steps if step.name]


def calls_of(found, block):
    return [step.call for part in found if part.block == block for step in part.program.steps]


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_without_fusing_every_step_runs_once_in_order(option, dropout):
    graph = build_graph(small_config(option), dropout=dropout)
    found = parts(graph, (), ("probs", "loss"), fuse=False)
    assert steps_of(found) == [node.name for node in graph.nodes]


@pytest.mark.parametrize("option", OPTIONS)
def test_parts_are_what_stands_before_the_blocks_the_blocks_and_what_comes_after(option):
    config = small_config(option)
    found = parts(build_graph(config), (), ("loss",))
    assert [part.block for part in found] == [None, *range(config.n_layer), None]


@pytest.mark.parametrize("option", OPTIONS)
def test_what_a_part_reads_has_been_made_before_it(option):
    found = parts(build_graph(small_config(option)), ("blocks.0.attn.v",), ("loss",))
    known = {"ids", "positions", "targets", "lengths"}
    for _, program in found:
        assert set(program.inputs) <= known
        known |= set(program.outputs)
    assert {"blocks.0.attn.v", "loss"} <= known


def test_a_block_hands_on_its_stream_alone():
    for _, program in parts(GRAPH, (), ("logits",))[1:-1]:
        assert program.outputs == (program.steps[-1].name,)


def test_attention_and_loss_are_fused_where_nothing_inside_is_kept():
    found = parts(GRAPH, (), ("logits", "loss"))
    names = steps_of(found)
    assert not any(name.endswith(SWALLOWED) or name == "loss.per_position" for name in names)
    for block in (0, 1):
        assert calls_of(found, block).count(attention) == 1
    assert calls_of(found, None).count(mean_cross_entropy) == 1


@pytest.mark.parametrize("inside", SWALLOWED)
def test_a_block_of_which_something_inside_is_kept_goes_step_by_step(inside):
    found = parts(GRAPH, (f"blocks.1.{inside}",), ("logits",))
    assert calls_of(found, 0).count(attention) == 1
    assert calls_of(found, 1).count(attention) == 0
    assert f"blocks.1.{inside}" in found[2].program.outputs


@pytest.mark.parametrize("inside", ["loss.per_position", "loss.per_position.log_sum"])
def test_a_loss_of_which_something_inside_is_kept_goes_step_by_step(inside):
    found = parts(GRAPH, (inside,), ("loss",))
    assert calls_of(found, None).count(mean_cross_entropy) == 0
    assert {"loss", inside} <= set(found[-1].program.outputs)


def test_what_is_made_of_the_mixed_values_does_not_hinder_fusing():
    found = parts(GRAPH, ("blocks.0.attn.z", "blocks.0.attn.keys"), ("logits",))
    assert calls_of(found, 0).count(attention) == 1


def test_dropout_in_the_pattern_is_not_fused_away():
    found = parts(build_graph(small_config(), dropout=0.2), (), ("logits",))
    assert calls_of(found, 0).count(attention) == 0


def test_extras_are_made_only_where_one_is_kept():
    plain = parts(GRAPH, ("blocks.0.norm1",), ("logits",))
    asked = parts(GRAPH, ("blocks.0.norm1.rstd",), ("logits",))
    assert all(step.extras is None for part in plain for step in part.program.steps)
    assert [step.name for part in asked for step in part.program.steps if step.extras] == [
        "blocks.0.norm1"
    ]


def test_only_what_is_needed_is_run():
    (first,) = parts(GRAPH, (), ("embed.out",))
    assert steps_of([first]) == ["embed.tokens", "embed.positions", "embed.out"]


def test_blocks_of_one_shape_have_equal_programs_but_for_names():
    """So that a block is compiled once and not for every layer anew."""
    programs = [part.program for part in parts(GRAPH, (), ("logits",)) if part.block is not None]
    first, second = ([step._replace(name=None) for step in each.steps] for each in programs)
    assert first == second


def test_names_and_ways_to_parameters():
    assert [block_of(name) for name in ("embed.out", "blocks.12.norm1.gamma", "head.w")] == [
        None,
        12,
        None,
    ]
    assert path_of("blocks.12.attn.w_q") == ("attn", "w_q")
    assert path_of("head.w") == ("head", "w")


def test_a_name_that_is_none_of_the_graphs_is_said():
    with pytest.raises(PellucidError, match="Did you mean logits"):
        parts(GRAPH, ("logit",), ())
