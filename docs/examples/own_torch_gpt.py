"""A GPT in PyTorch that stands for your own: it shares no code with Pellucid, and has a mistake."""

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """Attention and a feed-forward network, each added to the stream."""

    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.ln_1 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.ln_2 = nn.LayerNorm(d_model)
        self.fc = nn.Linear(d_model, 4 * d_model)
        self.act = nn.GELU()
        self.out = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        batch, length, d_model = x.shape
        heads = self.qkv(self.ln_1(x)).view(batch, length, 3, self.n_head, -1)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(z.transpose(1, 2).reshape(batch, length, d_model))
        return x + self.out(self.act(self.fc(self.ln_2(x))))


class GPT(nn.Module):
    """Token ids [batch, position] to logits [batch, position, vocab]."""

    def __init__(self, file, *, n_layer, n_head):
        super().__init__()
        weights = load_file(file)
        tokens, positions = weights["token_embedding"], weights["position_embedding"]
        self.wte = nn.Embedding.from_pretrained(tokens)
        self.wpe = nn.Embedding.from_pretrained(positions)
        self.h = nn.ModuleList(Block(tokens.shape[1], n_head) for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(tokens.shape[1])
        self.head = nn.Linear(tokens.shape[1], tokens.shape[0], bias=False)
        self.to(tokens.dtype).load_state_dict(renamed(weights, n_layer), strict=False)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


def renamed(weights, n_layer):
    """Pellucid's weights [in, out] under the names of this program, as [out, in]."""
    found = {"head.weight": weights["head.w"].t()}
    found["ln_f.weight"] = weights["final_norm.gamma"]
    found["ln_f.bias"] = weights["final_norm.beta"]
    for i in range(n_layer):
        ours, theirs = f"blocks.{i}.", f"h.{i}."
        for norm in "12":
            found[f"{theirs}ln_{norm}.weight"] = weights[f"{ours}norm{norm}.gamma"]
            found[f"{theirs}ln_{norm}.bias"] = weights[f"{ours}norm{norm}.beta"]
        for kind, own in (("weight", "w"), ("bias", "b")):
            qkv = [weights[f"{ours}attn.{own}_{x}"].t() for x in "qkv"]
            found[f"{theirs}qkv.{kind}"] = torch.cat(qkv)
            for name, place in (("proj", "attn.{}_o"), ("fc", "mlp.{}_in"), ("out", "mlp.{}_out")):
                found[f"{theirs}{name}.{kind}"] = weights[ours + place.format(own)].t()
    return found
