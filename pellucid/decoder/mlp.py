"""The feed-forward network of a block."""

from __future__ import annotations

from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.steps import leave_out, linear
from pellucid.ops.activation import Activation
from pellucid.ops.gate import Gate
from pellucid.ops.gelu import Gelu, GeluTanh
from pellucid.ops.relu import Relu, ReluSquared
from pellucid.ops.silu import GeluQuick, Silu

ACTIVATIONS: dict[str, type[Activation]] = {
    "relu": Relu,
    "relu_squared": ReluSquared,
    "gelu": Gelu,
    "gelu_tanh": GeluTanh,
    "gelu_quick": GeluQuick,
    "silu": Silu,
}
"""By the name that a config gives them."""


def mlp(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """What each position works out by itself, as an addition to the stream."""
    bend, bias = ACTIVATIONS[config.activation](), config.mlp_bias
    if config.gated_mlp:
        gate = g("gate", linear("w_gate", "b_gate", "d_mlp", bias), x)
        opened = g("opened", bend, gate)
        post = g("post", Gate(), opened, g("pre", linear("w_in", "b_in", "d_mlp", bias), x))
    else:
        post = g("post", bend, g("pre", linear("w_in", "b_in", "d_mlp", bias), x))
    out = g("out", linear("w_out", "b_out", "d_model", bias), post)
    return leave_out(g, "out_dropout", out)
