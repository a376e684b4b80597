"""From a config to a graph: every option puts its steps in, or leaves them out."""

import pytest

from pellucid.decoder.architecture import build_graph, sizes
from pellucid.decoder.parameters import parameter_specs
from tests.small_models import OPTIONS, SMALL, small_config

EACH = pytest.mark.parametrize("option", OPTIONS)


def names(option):
    return [node.name for node in build_graph(small_config(option)).nodes]


def block(option, i=0):
    start = f"blocks.{i}."
    return [name.removeprefix(start) for name in names(option) if name.startswith(start)]


ATTENTION = [
    f"attn.{name}"
    for name in (
        *("q_flat", "q", "k_flat", "k", "v_flat", "v", "keys", "values"),
        *("scores", "masked_scores", "pattern", "z", "z_flat", "out"),
    )
]
FEED_FORWARD = ["mlp.pre", "mlp.post", "mlp.out"]


def test_a_pre_norm_decoder_from_top_to_bottom():
    half = ["norm1", *ATTENTION, "resid_mid"], ["norm2", *FEED_FORWARD, "resid_post"]
    assert block("as it is", 0) == block("as it is", 1) == [*half[0], *half[1]]
    outside = [name for name in names("as it is") if not name.startswith("blocks.")]
    assert outside == [
        *("embed.tokens", "embed.positions", "embed.out"),
        *("final_norm", "logits", "probs", "loss.per_position", "loss"),
    ]


def test_a_post_norm_block_normalises_what_it_adds_up():
    half = [*ATTENTION, "resid_mid", "norm1"], [*FEED_FORWARD, "resid_post", "norm2"]
    assert block("post norm") == [*half[0], *half[1]]


@pytest.mark.parametrize("norm_position", ["pre", "post", "sandwich", "output"])
def test_a_block_that_only_attends_is_the_first_half_of_a_block(norm_position):
    whole, half = (
        build_graph(SMALL.replace(norm_position=norm_position, mlp=mlp)) for mlp in (True, False)
    )
    first = [node.name for node in half.nodes if node.name.startswith("blocks.0.")]
    both = [node.name for node in whole.nodes if node.name.startswith("blocks.0.")]
    assert first == both[: len(first)]
    assert first[-1] == ("blocks.0.norm1" if norm_position == "post" else "blocks.0.resid_mid")
    assert half.resolve("blocks.1.resid_pre") == first[-1]


def test_without_a_projection_the_merged_heads_are_attentions_output():
    assert "attn.z_flat" not in block("no attention output")
    graph = build_graph(small_config("no attention output"))
    assert graph.node("blocks.0.attn.out").op.kind == "merge_heads"


def test_blocks_are_as_many_as_layers():
    assert block("one layer", 1) == []
    assert block("as it is", SMALL.n_layer) == []


NORMS = {
    ("pre", False): ("norm1", "norm2"),
    ("pre", True): ("norm1",),
    ("post", False): ("norm1", "norm2"),
    ("sandwich", False): ("norm1", "norm1_post", "norm2", "norm2_post"),
    ("output", False): ("norm1_post", "norm2_post"),
}
"""Those of a block, by where they stand and whether both halves share one."""


@EACH
def test_parameters_are_those_of_the_options(option):
    config = small_config(option)
    expected = {"token_embedding"}
    if config.position == "learned":
        expected.add("position_embedding")
    norms = ["final_norm"] if config.final_norm else []
    norms += ["embed.norm"] if config.embedding_norm else []
    of_heads = []
    for i in range(config.n_layer):
        start = f"blocks.{i}."
        of_block = NORMS[config.norm_position, config.shared_norm]
        norms += [f"{start}{name}" for name in of_block if config.mlp or name.startswith("norm1")]
        if config.query_key_norm != "none":
            of_heads += [f"{start}attn.q_norm", f"{start}attn.k_norm"]
        if config.gated_mlp:
            expected.add(f"{start}mlp.w_gate")
            expected |= {f"{start}mlp.b_gate"} if config.mlp_bias else set()
        expected |= {f"{start}attn.w_{which}" for which in "qkv"}
        expected |= {f"{start}mlp.w_in", f"{start}mlp.w_out"} if config.mlp else set()
        if config.attention_bias:
            expected |= {f"{start}attn.b_{which}" for which in "qkv"}
        if config.mlp and config.mlp_bias:
            expected |= {f"{start}mlp.b_in", f"{start}mlp.b_out"}
        if config.attention_output:
            expected.add(f"{start}attn.w_o")
            if config.attention_output_bias:
                expected.add(f"{start}attn.b_o")
    expected |= {f"{norm}.gamma" for norm in (*norms, *of_heads)}
    if config.norm_bias:
        expected |= {f"{norm}.beta" for norm in norms}
    if config.query_key_norm_bias:
        expected |= {f"{norm}.beta" for norm in of_heads}
    if not config.tied_head:
        expected.add("head.w")
    if config.head_bias:
        expected.add("head.b")
    assert set(parameter_specs(build_graph(config))) == expected


@EACH
def test_parameters_have_the_shapes_of_the_sizes(option):
    config = small_config(option)
    length = sizes(config)
    for spec in parameter_specs(build_graph(config)).values():
        assert spec.shape == tuple(length[dim] for dim in spec.dims)
    shape = {name: spec.shape for name, spec in parameter_specs(build_graph(config)).items()}
    assert shape["token_embedding"] == (config.vocab_size, config.n_embd)
    assert shape["blocks.0.attn.w_q"] == (config.n_embd, config.n_head * config.d_head)
    assert shape["blocks.0.attn.w_k"] == (config.n_embd, config.n_kv_head * config.d_head)
    if config.mlp:
        assert shape["blocks.0.mlp.w_in"] == (config.n_embd, config.d_mlp)


@EACH
def test_a_graph_is_built_once_for_equal_configs(option):
    assert build_graph(small_config(option)) is build_graph(small_config(option))
