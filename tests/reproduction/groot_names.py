"""The first seed's names for tensors and parameters, and ours."""

TENSORS = {
    "token_embedding": "embed.tokens",
    "position_embedding": "embed.positions",
    "h0": "embed.out",
    "q": "blocks.0.attn.q",
    "k": "blocks.0.attn.k",
    "v": "blocks.0.attn.v",
    "scores": "blocks.0.attn.scores",
    "pattern": "blocks.0.attn.pattern",
    "context": "blocks.0.attn.out",
    "residual_1": "blocks.0.resid_mid",
    "norm1": "blocks.0.norm1",
    "ffn_hidden": "blocks.0.mlp.pre",
    "ffn_relu": "blocks.0.mlp.post",
    "ffn_out": "blocks.0.mlp.out",
    "residual_2": "blocks.0.resid_post",
    "norm2": "blocks.0.norm2",
    "logits": "logits",
    "probs": "probs",
}

GRADIENTS = {
    "token_embedding.weight": ("token_embedding", False),
    "position_embedding.weight": ("position_embedding", False),
    "transformer.attn.q.weight": ("blocks.0.attn.w_q", True),
    "transformer.attn.q.bias": ("blocks.0.attn.b_q", False),
    "transformer.attn.k.weight": ("blocks.0.attn.w_k", True),
    "transformer.attn.k.bias": ("blocks.0.attn.b_k", False),
    "transformer.attn.v.weight": ("blocks.0.attn.w_v", True),
    "transformer.attn.v.bias": ("blocks.0.attn.b_v", False),
    "transformer.norm1.weight": ("blocks.0.norm1.gamma", False),
    "transformer.norm1.bias": ("blocks.0.norm1.beta", False),
    "transformer.ffn.0.weight": ("blocks.0.mlp.w_in", True),
    "transformer.ffn.0.bias": ("blocks.0.mlp.b_in", False),
    "transformer.ffn.2.weight": ("blocks.0.mlp.w_out", True),
    "transformer.ffn.2.bias": ("blocks.0.mlp.b_out", False),
    "transformer.norm2.weight": ("blocks.0.norm2.gamma", False),
    "transformer.norm2.bias": ("blocks.0.norm2.beta", False),
    "head.weight": ("head.w", True),
    "head.bias": ("head.b", False),
}
"""Our name, and whether theirs is transposed (`[out, in]`)."""
