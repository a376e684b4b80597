"""A small GPT of one's own in plain NumPy, which writes down what it computes.

    python own_gpt.py FOLDER IDS OUT.npz [--mistake scale|mask|gelu|norm] [--dtype float32]

It reads a model's folder but shares no code with Pellucid: it is what is to be checked. The names
it writes are Pellucid's, so that `pellucid compare FOLDER OUT.npz` knows them. Each
`mistake` swaps one line for one that is easily written instead.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

MISTAKES = ("scale", "mask", "gelu", "norm")


def forward(weights, ids, *, n_layer, n_head, epsilon=1e-5, mistake=None):
    """Every intermediate of one text by name; `ids` [position], `weights` by name, [in, out]."""
    seen = {"ids": np.array(ids)}

    def norm(name, x):
        gamma, beta = weights[f"{name}.gamma"], weights[f"{name}.beta"]
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred**2).mean(-1, keepdims=True)
        if mistake == "norm":
            scaled = centred / (np.sqrt(variance) + epsilon)
        else:
            scaled = centred / np.sqrt(variance + epsilon)
        seen[name] = scaled * gamma + beta
        return seen[name]

    def linear(x, w, b):
        return x @ weights[w] + weights[b]

    def heads(x):
        return x.reshape(len(ids), n_head, -1).swapaxes(0, 1)

    def attention(at, x):
        q, k, v = (heads(linear(x, f"{at}.w_{name}", f"{at}.b_{name}")) for name in "qkv")
        width = x.shape[-1] if mistake == "scale" else q.shape[-1]
        scores = q @ k.swapaxes(1, 2) / math.sqrt(width)
        first_hidden = 2 if mistake == "mask" else 1
        future = np.triu(np.ones((len(ids), len(ids)), dtype=bool), first_hidden)
        masked = np.where(future, -np.inf, scores)
        pattern = softmax(masked)
        z = pattern @ v
        out = linear(z.swapaxes(0, 1).reshape(len(ids), -1), f"{at}.w_o", f"{at}.b_o")
        named = {"q": q, "k": k, "v": v, "scores": scores, "masked_scores": masked}
        named |= {"pattern": pattern, "z": z, "out": out}
        seen.update({f"{at}.{name}": value for name, value in named.items()})
        return out

    def mlp(at, x):
        pre = seen[f"{at}.pre"] = linear(x, f"{at}.w_in", f"{at}.b_in")
        post = seen[f"{at}.post"] = exact_gelu(pre) if mistake == "gelu" else tanh_gelu(pre)
        seen[f"{at}.out"] = linear(post, f"{at}.w_out", f"{at}.b_out")
        return seen[f"{at}.out"]

    x = weights["token_embedding"][ids] + weights["position_embedding"][: len(ids)]
    seen["embed.out"] = x
    for block in (f"blocks.{i}" for i in range(n_layer)):
        x = x + attention(f"{block}.attn", norm(f"{block}.norm1", x))
        seen[f"{block}.resid_mid"] = x
        x = x + mlp(f"{block}.mlp", norm(f"{block}.norm2", x))
        seen[f"{block}.resid_post"] = x
    seen["logits"] = norm("final_norm", x) @ weights["head.w"]
    seen["probs"] = softmax(seen["logits"])
    return seen


def softmax(x):
    """Shares of 1 along the last dim."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def tanh_gelu(x):
    """The approximation that GPT-2 uses."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def exact_gelu(x):
    """x times the share of a normal distribution below it."""
    share = np.vectorize(lambda each: 0.5 * (1 + math.erf(each / math.sqrt(2))), otypes=[x.dtype])
    return x * share(x)


def main():
    """Run over ids given on the command line, and write what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("ids")
    parser.add_argument("out", type=Path)
    parser.add_argument("--mistake", choices=MISTAKES)
    parser.add_argument("--dtype", help="float32 or float64; as stored unless given")
    given = parser.parse_args()
    config = json.loads((given.folder / "config.json").read_text())
    stored = load_file(given.folder / "model.safetensors")
    seen = forward(
        {name: array.astype(given.dtype or array.dtype) for name, array in stored.items()},
        [int(each) for each in given.ids.split(",")],
        n_layer=config["n_layer"],
        n_head=config["n_head"],
        epsilon=config["norm_epsilon"],
        mistake=given.mistake,
    )
    np.savez(given.out, **seen)


if __name__ == "__main__":
    main()
