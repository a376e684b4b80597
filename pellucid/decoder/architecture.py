"""The whole architecture, from a config to a graph, to be read from top to bottom.

A block is two additions to the residual stream: attention, then the feed-forward network. A kind of
position, norm placement or activation is chosen by table, so that a new one is one small function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import Graph
from pellucid.ops.activation import ACTIVATIONS
from pellucid.ops.attention import CausalMask, Mix, Scores
from pellucid.ops.dropout import Dropout
from pellucid.ops.embedding import Embedding
from pellucid.ops.heads import MergeHeads, Remember, SplitHeads
from pellucid.ops.linear import Linear
from pellucid.ops.loss import CrossEntropy, MeanLoss
from pellucid.ops.norm import LayerNorm
from pellucid.ops.operation import Sizes
from pellucid.ops.position import Sinusoidal
from pellucid.ops.residual import Add
from pellucid.ops.softmax import Softmax


@lru_cache(maxsize=64)
def build_graph(config: ModelConfig, *, dropout: float = 0.0) -> Graph:
    """The decoder that a config describes: from `ids` to `probs`, and with `targets` to `loss`.

    With a rate of `dropout`, which training alone has use for, what enters the blocks, the pattern
    and what is added to the stream pass through a step that leaves numbers out.
    """
    g = GraphBuilder(sizes(config), dropout=dropout)
    x = leave_out(g, "embed.dropout", embed(g, config))
    for i in range(config.n_layer):
        block = g.scope(f"blocks.{i}")
        x = BLOCKS[config.norm_position](block, config, block.alias("resid_pre", x))
    if config.final_norm:
        x = norm(g, config, "final_norm", x)
    logits = head(g, config, x)
    g("probs", Softmax("vocab"), logits)
    per_position = g("loss.per_position", CrossEntropy(), logits, "targets")
    g("loss", MeanLoss(), per_position, "targets")
    return g.graph()


def embed(g: GraphBuilder, config: ModelConfig) -> str:
    """Tokens, plus positions where the model has them."""
    tokens = g("embed.tokens", Embedding("token_embedding", rows="vocab"), "ids")
    if config.position == "none":
        return g.alias("embed.out", tokens)
    if config.position == "learned":
        table = Embedding("position_embedding", rows="position")
        positions = g("embed.positions", table, "positions")
    else:
        positions = g("embed.positions", Sinusoidal(config.n_embd), "positions")
    return g("embed.out", Add(), tokens, positions)


def pre_norm_block(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """Normalise, attend, add; normalise, feed forward, add."""
    attended = attention(g.scope("attn"), config, norm(g, config, "norm1", x))
    x = g("resid_mid", Add(), x, attended)
    expanded = mlp(g.scope("mlp"), config, norm(g, config, "norm2", x))
    return g("resid_post", Add(), x, expanded)


def post_norm_block(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """Attend, add, normalise; feed forward, add, normalise."""
    attended = attention(g.scope("attn"), config, x)
    x = norm(g, config, "norm1", g("resid_mid", Add(), x, attended))
    expanded = mlp(g.scope("mlp"), config, x)
    return norm(g, config, "norm2", g("resid_post", Add(), x, expanded))


BLOCKS: dict[str, Callable[[GraphBuilder, ModelConfig, str], str]] = {
    "pre": pre_norm_block,
    "post": post_norm_block,
}


def attention(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """What each position gathers from those before it, as an addition to the stream."""
    n_head, n_kv_head, d_head = config.n_head, config.n_kv_head, config.d_head
    bias = config.attention_bias
    q = g("q", SplitHeads(n_head), g("q_flat", linear("w_q", "b_q", "d_attn", bias), x))
    kv_heads = SplitHeads(n_kv_head, head="kv_head")
    k = g("k", kv_heads, g("k_flat", linear("w_k", "b_k", "d_kv", bias), x))
    v = g("v", kv_heads, g("v_flat", linear("w_v", "b_v", "d_kv", bias), x))
    keys, values = g("keys", Remember(), k), g("values", Remember(), v)
    scores = g("scores", Scores(d_head), q, keys)
    masked = g("masked_scores", CausalMask(), scores, "positions")
    pattern = g("pattern", Softmax(over="key"), masked)
    z = g("z", Mix(), leave_out(g, "pattern_dropout", pattern), values)
    if config.attention_output:
        merged = g("z_flat", MergeHeads(n_head, to="d_attn"), z)
        out = g("out", linear("w_o", "b_o", "d_model", config.attention_output_bias), merged)
    else:
        out = g("out", MergeHeads(n_head, to="d_model"), z)
    return leave_out(g, "out_dropout", out)


def mlp(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """What each position works out by itself, as an addition to the stream."""
    pre = g("pre", linear("w_in", "b_in", "d_mlp", config.mlp_bias), x)
    post = g("post", ACTIVATIONS[config.activation](), pre)
    out = g("out", linear("w_out", "b_out", "d_model", config.mlp_bias), post)
    return leave_out(g, "out_dropout", out)


def leave_out(g: GraphBuilder, name: str, x: str) -> str:
    """A dropout where the graph has one."""
    return g(name, Dropout(g.dropout, g.prefix + name), x, "noise") if g.dropout else x


def norm(g: GraphBuilder, config: ModelConfig, name: str, x: str) -> str:
    """The norm that the config names."""
    beta = f"{name}.beta" if config.norm_bias else None
    return g(name, LayerNorm(f"{name}.gamma", beta, config.norm_epsilon), x)


def head(g: GraphBuilder, config: ModelConfig, x: str) -> str:
    """A score for every token."""
    bias = "head.b" if config.head_bias else None
    weight = "token_embedding" if config.tied_head else "head.w"
    return g("logits", Linear(weight, bias, to="vocab", transposed=config.tied_head), x)


def linear(weight: str, bias: str, to: str, has_bias: bool) -> Linear:
    """A linear map, with its bias or without."""
    return Linear(weight, bias if has_bias else None, to)


def sizes(config: ModelConfig) -> Sizes:
    """The length of every dim; for `position`, `query` and `key` the most there can be."""
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
        "vocab": config.vocab_size,
    }
