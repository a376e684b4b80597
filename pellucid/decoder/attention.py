"""Attention of a block: queries, keys and values, and what the heads gather by them."""

from __future__ import annotations

from pellucid.decoder.builder import GraphBuilder
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.rotary import Rotary, rotate
from pellucid.decoder.steps import NORMS, leave_out, linear
from pellucid.ops.alibi import Alibi, alibi_slopes
from pellucid.ops.attention import Mix, Scores
from pellucid.ops.heads import MergeHeads, Remember, SplitHeads
from pellucid.ops.mask import CausalMask
from pellucid.ops.soft_cap import SoftCap
from pellucid.ops.softmax import Softmax


def attention(g: GraphBuilder, config: ModelConfig, layer: int, x: str) -> str:
    """What each position gathers from those before it, as an addition to the stream."""
    q = positioned(g, config, layer, "q", vectors(g, config, "q", x))
    k = positioned(g, config, layer, "k", vectors(g, config, "k", x))
    v = vectors(g, config, "v", x)
    keys, values = g("keys", Remember(), k), g("values", Remember(), v)
    scores = g("scores", Scores(config.d_head, config.attention_scale), q, keys)
    masked = g(
        "masked_scores", CausalMask(window(config, layer)), bent(g, config, scores), "positions"
    )
    pattern = g("pattern", Softmax(over="key"), masked)
    z = g("z", Mix(), leave_out(g, "pattern_dropout", pattern), values)
    if config.attention_output:
        merged = g("z_flat", MergeHeads(config.n_head, to="d_attn"), z)
        out = g("out", linear("w_o", "b_o", "d_model", config.attention_output_bias), merged)
    else:
        out = g("out", MergeHeads(config.n_head, to="d_model"), z)
    return leave_out(g, "out_dropout", out)


def vectors(g: GraphBuilder, config: ModelConfig, name: str, x: str) -> str:
    """The queries, keys or values of all heads; queries and keys normalised, if they are."""
    if name == "q":
        n_head, head, width = config.n_head, "head", "d_attn"
    else:
        n_head, head, width = config.n_kv_head, "kv_head", "d_kv"
    kind = config.query_key_norm if name != "v" else "none"
    flat = g(f"{name}_flat", linear(f"w_{name}", f"b_{name}", width, config.attention_bias), x)
    if kind == "all":
        flat = query_key_norm(g, config, f"{name}_norm", flat)
    heads = g(name, SplitHeads(n_head, head=head), flat)
    if kind in ("head", "head_each"):
        heads = query_key_norm(g, config, f"{name}_norm", heads)
    return heads


def query_key_norm(g: GraphBuilder, config: ModelConfig, name: str, x: str) -> str:
    """The norm of queries or keys."""
    op = NORMS[config.norm](
        f"{name}.gamma",
        f"{name}.beta" if config.query_key_norm_bias else None,
        config.norm_epsilon,
        by_head=config.query_key_norm == "head_each",
        unit_offset=config.norm_unit_offset,
    )
    return g(name, op, x)


def positioned(g: GraphBuilder, config: ModelConfig, layer: int, name: str, x: str) -> str:
    """Queries or keys turned by their positions, in layers that do so."""
    rotary = rotary_of(config, layer)
    if rotary is None:
        return x
    op = rotate(rotary, config.d_head)
    lengths = ("lengths",) if op.frequencies.depend_on_length else ()
    return g(f"{name}_rotated", op, x, "positions", *lengths)


def rotary_of(config: ModelConfig, layer: int) -> Rotary | None:
    """How a layer turns queries and keys."""
    if config.rotary_layers and not config.rotary_layers[layer]:
        return None
    local = config.local_rotary is not None and window(config, layer) is not None
    return config.local_rotary if local else config.rotary


def window(config: ModelConfig, layer: int) -> int | None:
    """How far back a layer sees."""
    everywhere = not config.window_layers
    return config.window if everywhere or config.window_layers[layer] else None


def bent(g: GraphBuilder, config: ModelConfig, scores: str) -> str:
    """Scores as they are masked: with a cap, or lowered by how far back a key is."""
    if config.attention_softcap is not None:
        scores = g("capped_scores", SoftCap(config.attention_softcap), scores)
    if config.position == "alibi":
        slopes = tuple(slope * config.alibi_scale for slope in alibi_slopes(config.n_head))
        scores = g("biased_scores", Alibi(slopes), scores, "positions")
    return scores
