"""TransformerLens' names of activations and parameters (Nanda and Bloom, 2022).

Its activations have the position first, `[pos, head_index, d_head]`, where ours begin with the
head; dims go by name, so that a cell is found all the same. Its parameters are accepted where they
lie as ours do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

from pellucid.decoder.graph import Graph
from pellucid.errors import PellucidError
from pellucid.ops.norm import Norm

Meaning = str | Callable[[Graph, str], str]
"""Our name within the scope, or what finds it there."""


def added_to(stream: str) -> Callable[[Graph, str], str]:
    """What a half of a block adds to the stream, its own norm and factor included."""
    return lambda graph, scope: (
        graph.owners[scope + stream].inputs[1] if scope + stream in graph.owners else stream
    )


def read_by_activation(graph: Graph, scope: str) -> str:
    """What the activation reads: in a gated network the gate."""
    gate = f"{scope}mlp.gate"
    return gate if gate in graph.facts else f"{scope}mlp.pre"


def beside_gate(graph: Graph, scope: str) -> str:
    """What a gate multiplies; nothing without one."""
    return f"{scope}mlp.{'pre' if f'{scope}mlp.gate' in graph.facts else 'pre_linear'}"


def embedded(graph: Graph, scope: str) -> str:
    """Token embeddings as they enter the stream: scaled and normalised, where they are."""
    names = ("embed.norm", "embed.scaled", "embed.tokens")
    return next(name for name in names if name in graph.facts)


def projected(graph: Graph, scope: str) -> str:
    """What the head's matrix gives, before a factor or a cap."""
    weight = "head.w" if "head.w" in graph.parameters else "token_embedding"
    return [node.name for node in graph.nodes if weight in node.parameters][-1]


IN_BLOCKS: dict[str, Meaning] = {
    "hook_resid_pre": "resid_pre",
    "hook_resid_mid": "resid_mid",
    "hook_resid_post": "resid_post",
    "hook_attn_out": added_to("resid_mid"),
    "hook_mlp_out": added_to("resid_post"),
    "ln1.hook_normalized": "norm1.normalized",
    "ln1_post.hook_normalized": "norm1_post.normalized",
    "ln2.hook_normalized": "norm2.normalized",
    "ln2_post.hook_normalized": "norm2_post.normalized",
    "attn.hook_q": "attn.q",
    "attn.hook_k": "attn.k",
    "attn.hook_v": "attn.v",
    "attn.hook_rot_q": "attn.q_rotated",
    "attn.hook_rot_k": "attn.k_rotated",
    "attn.hook_attn_scores": "attn.masked_scores",
    "attn.hook_pattern": "attn.pattern",
    "attn.hook_z": "attn.z",
    "mlp.hook_pre": read_by_activation,
    "mlp.hook_pre_linear": beside_gate,
    "mlp.hook_post": "mlp.post",
    "ln1.w": "norm1.gamma",
    "ln1.b": "norm1.beta",
    "ln1_post.w": "norm1_post.gamma",
    "ln1_post.b": "norm1_post.beta",
    "ln2.w": "norm2.gamma",
    "ln2.b": "norm2.beta",
    "ln2_post.w": "norm2_post.gamma",
    "ln2_post.b": "norm2_post.beta",
    "attn.b_O": "attn.b_o",
    "mlp.W_in": "mlp.w_in",
    "mlp.b_in": "mlp.b_in",
    "mlp.W_gate": "mlp.w_gate",
    "mlp.W_out": "mlp.w_out",
    "mlp.b_out": "mlp.b_out",
}
"""Behind `blocks.3.`."""

OUTSIDE: dict[str, Meaning] = {
    "hook_embed": embedded,
    "hook_pos_embed": "embed.positions",
    "ln_final.hook_normalized": "final_norm.normalized",
    "hook_unembed": projected,
    "unembed": projected,
    "embed.W_E": "token_embedding",
    "pos_embed.W_pos": "position_embedding",
    "ln_final.w": "final_norm.gamma",
    "ln_final.b": "final_norm.beta",
    "unembed.W_U": "head.w",
    "unembed.b_U": "head.b",
}

NORMS = {
    "ln1": "norm1",
    "ln1_post": "norm1_post",
    "ln2": "norm2",
    "ln2_post": "norm2_post",
    "ln_final": "final_norm",
}
BY_HEAD = "has an axis for the heads there; here they lie side by side in"
NOT_THE_SAME: dict[str, tuple[str, str]] = {
    **{f"{norm}.hook_scale": ("is 1 divided by", ours) for norm, ours in NORMS.items()},
    **{
        f"attn.{under}{theirs}_{letter}": (BY_HEAD, f"attn.{theirs.lower()}_{letter.lower()}")
        for theirs, letter in product("Wb", "QKV")
        # Keys and values that several queries share have names of their own.
        for under in ("", "_")
    },
    "attn.W_O": (BY_HEAD, "attn.w_o"),
    "attn.hook_result": ("is not kept: it is, head by head, the rows of w_o times", "attn.z"),
    **{
        f"hook_{what}": ("repeats, for each head,", "resid_pre")
        for what in ("attn_in", "q_input", "k_input", "v_input")
    },
}
"""What is said of a name that is no tensor of ours, and the one that is nearest."""


def translate(name: str, graph: Graph) -> str | None:
    """Our name of what TransformerLens calls so; None where it does not, or this model has none.

    Raises:
        PellucidError: it is something else than any tensor of ours.
    """
    scope, local = split(name)
    if local in NOT_THE_SAME:
        said, ours = NOT_THE_SAME[local]
        own = scope + ours
        refuse(name, said, factor_of(own, graph) if ours in NORMS.values() else own, graph)
    meaning = (IN_BLOCKS if scope else OUTSIDE).get(local)
    if meaning is None or (scope and f"{scope}resid_mid" not in graph.facts):
        return None
    own = scope + meaning if isinstance(meaning, str) else meaning(graph, scope)
    check_same(name, own, graph)
    return own if own in graph.facts or own in graph.aliases or own in graph.parameters else None


def split(name: str) -> tuple[str, str]:
    """`blocks.3.` and what stands behind it, or nothing and the name."""
    found = re.fullmatch(r"(blocks\.\d+\.)(.+)", name)
    return (found[1], found[2]) if found else ("", name)


def factor_of(norm: str, graph: Graph) -> str:
    """What a norm multiplies by to bring its input to one scale."""
    extras = graph.owners[norm].extras if norm in graph.owners else ()
    return next((fact.name for fact in extras if fact.name.endswith(("rstd", "rrms"))), norm)


def check_same(name: str, own: str, graph: Graph) -> None:
    """Raise PellucidError where the numbers of a tensor or a parameter are others than ours."""
    if own == "head.w" and own not in graph.parameters:
        refuse(name, "is, turned round,", "token_embedding", graph)
    if own == "token_embedding" and "embed.scaled" in graph.facts:
        refuse(name, "has embed.scaled's factor in it; without it, it is", own, graph)
    if own.endswith(".gamma") and is_offset(graph, own):
        refuse(name, "is 1 more than", own, graph)
    queries = graph.owners.get(own)
    if own.endswith((".attn.q", ".attn.k")) and queries and "_norm" in queries.inputs[0]:
        refuse(name, "is not yet normalised: it is, head by head,", f"{own}_flat", graph)


def is_offset(graph: Graph, gain: str) -> bool:
    """Whether a gain is kept as what it differs from 1 by."""
    return any(
        isinstance(node.op, Norm) and node.op.unit_offset
        for node in graph.nodes
        if gain in node.parameters
    )


def refuse(name: str, said: str, ours: str, graph: Graph) -> None:
    """Raise PellucidError that says what a name is, where our model has what is nearest to it."""
    if ours in graph.facts or ours in graph.aliases or ours in graph.parameters:
        raise PellucidError(f'TransformerLens\' "{name}" {said} {ours}: ask for that.')
