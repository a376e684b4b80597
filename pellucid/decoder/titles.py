"""What each tensor is, in a few words: the one table that every view and document reads."""

from __future__ import annotations

TITLES: dict[str, str] = {
    "embed.tokens": "Token embeddings: one row of the table for each token id",
    "embed.scaled": "Scaled token embeddings: multiplied by one number",
    "embed.norm": "Norm of the token embeddings",
    "embed.positions": "Position embeddings: one row for each place in the text",
    "embed.out": "Input to the blocks: token plus position",
    "embed.dropout": "Input to the blocks, some of it left out",
    "norm1": "First norm",
    "norm2": "Second norm",
    "norm1_post": "Norm of what attention adds",
    "norm2_post": "Norm of what the feed-forward network adds",
    "attn.q_flat": "Queries of all heads, side by side",
    "attn.k_flat": "Keys of all heads, side by side",
    "attn.v_flat": "Values of all heads, side by side",
    "attn.q": "Queries: what each position looks for",
    "attn.k": "Keys: what each position offers to be found by",
    "attn.v": "Values: what each position hands over when it is looked at",
    "attn.q_norm": "Norm of the queries",
    "attn.k_norm": "Norm of the keys",
    "attn.q_rotated": "Turned queries: by an angle that grows with the position",
    "attn.k_rotated": "Turned keys: by an angle that grows with the position",
    "attn.keys": "Keys of every position so far",
    "attn.values": "Values of every position so far",
    "attn.scores": "Scores: how well each query matches each key",
    "attn.capped_scores": "Capped scores: none larger than the cap",
    "attn.biased_scores": "Lowered scores: by how far back each key is",
    "attn.masked_scores": "Scores with the future shut out",
    "attn.pattern": "Pattern: how each position shares out its attention",
    "attn.pattern_dropout": "Pattern, some of it left out",
    "attn.z": "What each head gathered: the values, mixed by the pattern",
    "attn.z_flat": "What the heads gathered, side by side",
    "attn.out": "Output of attention, to be added to the stream",
    "attn.out_dropout": "Output of attention, some of it left out",
    "attn.scaled": "Scaled output of attention: multiplied by one number",
    "resid_mid": "Stream after attention",
    "mlp.gate": "Gate of the feed-forward network: before the activation",
    "mlp.opened": "Gate of the feed-forward network: after the activation",
    "mlp.pre": "Feed-forward, widened: before the activation",
    "mlp.post": "Feed-forward, widened: after the activation",
    "mlp.out": "Output of the feed-forward network, to be added to the stream",
    "mlp.out_dropout": "Output of the feed-forward network, some of it left out",
    "mlp.scaled": "Scaled output of the feed-forward network: multiplied by one number",
    "resid_post": "Stream after the feed-forward network",
    "final_norm": "Stream after the last norm",
    "unscaled_logits": "Unscaled logits: before they are multiplied by one number",
    "uncapped_logits": "Uncapped logits: before they are bent below a cap",
    "logits": "Logits: a score for every token that could come next",
    "probs": "Probabilities of the next token",
    "loss.per_position": "Loss at each position: how surprised the model was, in nats",
    "loss": "Loss: the mean over the positions with a target, in nats",
}

EXTRA_TITLES: dict[str, str] = {
    "mean": "mean of each position's vector",
    "rstd": "1 / standard deviation of each position's vector",
    "rrms": "1 / root mean square of each position's vector",
    "normalized": "before gain and shift",
    "max": "largest number of each row",
    "sum": "sum of exp(x - max) of each row",
    "cdf": "share of a normal distribution below each number",
    "sigmoid": "share of each number that is let through",
    "cos": "cosine of each pair's angle",
    "sin": "sine of each pair's angle",
    "kept": "0 where a number is left out, else what it is scaled by",
    "log_sum": "log of the sum of exp, in nats",
}


PARAMETER_TITLES: dict[str, str] = {
    "token_embedding": "Token table: a row for each token",
    "position_embedding": "Position table: a row for each place",
    "embed.norm.gamma": "Gain of the norm of token embeddings",
    "embed.norm.beta": "Shift of the norm of token embeddings",
    "norm1.gamma": "Gain of the first norm",
    "norm1.beta": "Shift of the first norm",
    "norm1_post.gamma": "Gain of the norm of what attention adds",
    "norm1_post.beta": "Shift of the norm of what attention adds",
    "attn.w_q": "Query weights",
    "attn.b_q": "Query bias",
    "attn.w_k": "Key weights",
    "attn.b_k": "Key bias",
    "attn.w_v": "Value weights",
    "attn.b_v": "Value bias",
    "attn.q_norm.gamma": "Gain of the norm of queries",
    "attn.q_norm.beta": "Shift of the norm of queries",
    "attn.k_norm.gamma": "Gain of the norm of keys",
    "attn.k_norm.beta": "Shift of the norm of keys",
    "attn.w_o": "Output weights of attention",
    "attn.b_o": "Output bias of attention",
    "norm2.gamma": "Gain of the second norm",
    "norm2.beta": "Shift of the second norm",
    "norm2_post.gamma": "Gain of the norm of what the feed-forward network adds",
    "norm2_post.beta": "Shift of the norm of what the feed-forward network adds",
    "mlp.w_gate": "Gate weights of the feed-forward network",
    "mlp.b_gate": "Gate bias of the feed-forward network",
    "mlp.w_in": "Widening weights of the feed-forward network",
    "mlp.b_in": "Widening bias of the feed-forward network",
    "mlp.w_out": "Contracting weights of the feed-forward network",
    "mlp.b_out": "Contracting bias of the feed-forward network",
    "final_norm.gamma": "Gain of the last norm",
    "final_norm.beta": "Shift of the last norm",
    "head.w": "Output head: a column of weights for each token",
    "head.b": "Output head: a bias for each token",
}


def parameter_title(name: str) -> str:
    """The title of a parameter, whichever block it stands in."""
    return PARAMETER_TITLES[local_name(name)]


def title(name: str) -> str:
    """The title of a tensor, whichever block it stands in."""
    return TITLES[local_name(name)]


def extra_title(name: str, extra: str) -> str:
    """The title of an intermediate of the tensor `name`."""
    return f"{title(name).partition(':')[0]}: {EXTRA_TITLES[extra]}"


def local_name(name: str) -> str:
    """A tensor's name within its block: `blocks.3.attn.q` is `attn.q`."""
    return name.split(".", 2)[2] if name.startswith("blocks.") else name
