"""Every component's vector carried forward by itself, in plain NumPy, norms at the run's scale."""

import numpy as np


def carried_forward(trace, position):
    """What each component is at each tensor of the stream: name → (component, head) → vector.

    Written out for pre-norm and post-norm blocks as they are drawn, with no graph.
    """
    config, values = trace.config, {name: trace[name].values for name in trace.names}
    parameters = {name: trace[name].values for name in trace.parameters}
    at = {}

    def keep(name, vectors):
        at[name] = dict(vectors)
        return at[name]

    def norm(name, vectors):
        gain = values[f"{name}.rstd"][position] * parameters[f"{name}.gamma"]
        scaled = {key: (vector - vector.mean()) * gain for key, vector in vectors.items()}
        return keep(name, scaled | own(f"{name}.beta"))

    def own(name):
        return {(name, None): parameters[name]} if name in parameters else {}

    def attention(block):
        z = values[f"{block}.attn.z"][:, position]
        heads = {}
        for head in range(config.n_head):
            alone = np.zeros_like(z)
            alone[head] = z[head]
            flat = alone.reshape(-1)
            if config.attention_output:
                flat = flat @ parameters[f"{block}.attn.w_o"]
            heads[f"{block}.attn.z", head] = flat
        return heads | own(f"{block}.attn.b_o")

    def mlp(block):
        out = values[f"{block}.mlp.post"][position] @ parameters[f"{block}.mlp.w_out"]
        return {(f"{block}.mlp.out", None): out} | own(f"{block}.mlp.b_out")

    embeddings = [n for n in ("embed.tokens", "embed.positions") if n in values]
    x = keep("embed.out", {(name, None): values[name][position] for name in embeddings})
    for i in range(config.n_layer):
        block = f"blocks.{i}"
        if config.norm_position == "pre":
            norm(f"{block}.norm1", x)
            x = keep(f"{block}.resid_mid", x | attention(block))
            if not config.mlp:
                continue
            norm(f"{block}.norm2", x)
            x = keep(f"{block}.resid_post", x | mlp(block))
        else:
            x = norm(f"{block}.norm1", keep(f"{block}.resid_mid", x | attention(block)))
            if not config.mlp:
                continue
            x = norm(f"{block}.norm2", keep(f"{block}.resid_post", x | mlp(block)))
    if config.final_norm:
        x = norm("final_norm", x)
    head = parameters["token_embedding"].T if config.tied_head else parameters["head.w"]
    keep("logits", {key: vector @ head for key, vector in x.items()} | own("head.b"))
    return at
