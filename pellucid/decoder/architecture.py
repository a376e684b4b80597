"""The whole architecture, from a config to a graph, to be read from top to bottom.

Tokens are embedded; each block (`blocks.py`) adds to the stream what its attention (`attention.py`)
and its feed-forward network (`mlp.py`) make of it; the head turns the stream into a score for every
token. What a config chooses is chosen by table, so that a new kind is one small function.
"""

from __future__ import annotations

from functools import lru_cache

from pellucid.decoder.blocks import block
from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import Graph
from pellucid.decoder.steps import leave_out, norm, scaled
from pellucid.ops.embedding import Embedding
from pellucid.ops.linear import Linear
from pellucid.ops.loss import CrossEntropy, MeanLoss
from pellucid.ops.operation import Sizes
from pellucid.ops.position import Sinusoidal
from pellucid.ops.residual import Add
from pellucid.ops.scale import Scale
from pellucid.ops.soft_cap import SoftCap
from pellucid.ops.softmax import Softmax


@lru_cache(maxsize=64)
def build_graph(config: ModelConfig, *, dropout: float = 0.0) -> Graph:
    """The decoder that a config describes: from `ids` to `probs`, and with `targets` to `loss`.

    With a rate of `dropout`, which training alone has use for, what enters the blocks, the pattern
    and what is added to the stream pass through a step that leaves numbers out.
    """
    g = GraphBuilder(sizes(config), dropout=dropout)
    x = leave_out(g, "embed.dropout", embed(g, config))
    for layer in range(config.n_layer):
        scope = g.scope(f"blocks.{layer}")
        x = block(scope, config, layer, scope.alias("resid_pre", x))
    if config.final_norm:
        x = norm(g, config, "final_norm", x)
    logits = head(g, config, x)
    g("probs", Softmax("vocab"), logits)
    per_position = g("loss.per_position", CrossEntropy(), logits, "targets")
    g("loss", MeanLoss(), per_position, "targets")
    return g.graph(config)


def embed(g: GraphBuilder, config: ModelConfig) -> str:
    """Tokens, plus positions where the model adds them to the stream."""
    tokens = g("embed.tokens", Embedding("token_embedding", rows="vocab"), "ids")
    tokens = scaled(g, "embed.scaled", config.embedding_scale, tokens)
    if config.embedding_norm:
        tokens = norm(g, config, "embed.norm", tokens)
    if config.position == "learned":
        table = Embedding("position_embedding", rows="position")
        positions = g("embed.positions", table, "positions")
    elif config.position == "sinusoidal":
        positions = g("embed.positions", Sinusoidal(config.n_embd), "positions")
    else:
        return g.alias("embed.out", tokens)
    return g("embed.out", Add(), tokens, positions)


def head(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """A score for every token."""
    bias = "head.b" if config.head_bias else None
    weight = "token_embedding" if config.tied_head else "head.w"
    project = Linear(weight, bias, to="vocab", transposed=config.tied_head)
    cap, factor = config.logit_softcap, config.logit_multiplier
    last = "logits" if cap is None else "uncapped_logits"
    if factor == 1:
        logits = g(last, project, x)
    else:
        logits = g(last, Scale(factor), g("unscaled_logits", project, x))
    return logits if cap is None else g("logits", SoftCap(cap), logits)


def sizes(config: ModelConfig) -> Sizes:
    """The length of every dim; for `position`, `query` and `key` the most there can be."""
    turned = 0 if config.rotary is None else config.rotary.width(config.d_head)
    return {
        "position": config.block_size,
        "query": config.block_size,
        "key": config.block_size,
        "head": config.n_head,
        "kv_head": config.n_kv_head,
        "d_model": config.n_embd,
        "d_head": config.d_head,
        "d_attn": config.n_head * config.d_head,
        "d_kv": config.n_kv_head * config.d_head,
        "d_mlp": config.d_mlp,
        **({"pair": turned // 2} if turned else {}),
        "vocab": config.vocab_size,
    }
