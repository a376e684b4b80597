"""A yardstick: a plain PyTorch decoder, written apart from Pellucid's graph.

Parameters go by Pellucid's names, so that the two can be held side by side; nothing else is shared.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional as F

ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
}


def decoder(config, p, ids):
    """Ids `[batch, position]` to logits `[batch, position, vocab]`, from parameters `p` by name."""
    x = F.embedding(ids, p["token_embedding"])
    if config.position == "learned":
        x = x + p["position_embedding"][: ids.shape[1]]
    elif config.position == "sinusoidal":
        x = x + waves(ids.shape[1], config.n_embd).to(x.dtype)
    for i in range(config.n_layer):
        x = block(config, Scoped(p, f"blocks.{i}."), x)
    if config.final_norm:
        x = norm(config, p, "final_norm", x)
    weight = p["token_embedding"] if config.tied_head else p["head.w"].T
    return F.linear(x, weight, p.get("head.b"))


def loss(config, p, ids, targets):
    """Mean cross-entropy in nats over the targets that are not −1."""
    logits = decoder(config, p, ids)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def block(config, p, x):
    if config.norm_position == "pre":
        x = x + attention(config, Scoped(p, "attn."), norm(config, p, "norm1", x))
        if not config.mlp:
            return x
        return x + feed_forward(config, p, norm(config, p, "norm2", x))
    x = norm(config, p, "norm1", x + attention(config, Scoped(p, "attn."), x))
    if not config.mlp:
        return x
    return norm(config, p, "norm2", x + feed_forward(config, p, x))


def attention(config, p, x):
    batch, positions, _ = x.shape

    def heads(which, n):
        flat = F.linear(x, p[f"w_{which}"].T, p.get(f"b_{which}"))
        return flat.view(batch, positions, n, config.d_head).transpose(1, 2)

    group = config.n_head // config.n_kv_head
    q = heads("q", config.n_head)
    k = heads("k", config.n_kv_head).repeat_interleave(group, dim=1)
    v = heads("v", config.n_kv_head).repeat_interleave(group, dim=1)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    merged = mixed.transpose(1, 2).flatten(2)
    if not config.attention_output:
        return merged
    return F.linear(merged, p["w_o"].T, p.get("b_o"))


def feed_forward(config, p, x):
    hidden = F.linear(x, p["mlp.w_in"].T, p.get("mlp.b_in"))
    hidden = ACTIVATIONS[config.activation](hidden)
    return F.linear(hidden, p["mlp.w_out"].T, p.get("mlp.b_out"))


def norm(config, p, name, x):
    gain, shift = p[f"{name}.gamma"], p.get(f"{name}.beta")
    return F.layer_norm(x, (config.n_embd,), gain, shift, config.norm_epsilon)


def waves(positions, width):
    angles = torch.empty(positions, width, dtype=torch.float64)
    for p in range(positions):
        for j in range(width):
            angle = p / 10000 ** ((j - j % 2) / width)
            angles[p, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return angles


class Scoped:
    """The parameters whose names begin with a prefix, by the rest of their names."""

    def __init__(self, parameters, prefix):
        self.parameters, self.prefix = parameters, prefix

    def __getitem__(self, name):
        return self.parameters[self.prefix + name]

    def get(self, name):
        return self.parameters.get(self.prefix + name)
