"""BabyGroot trained as its notebook trains it, in torch: a process of its own, which prints JSON.

`python -m pellucid.interop.notebook_torch 2` trains with two threads. For each epoch it prints a
line `{"loss", "mean_of_batches"}`, and at the end `{"torch", "parameters"}`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader

from pellucid.text.batches import Pairs, training_pairs
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer

SEED, EPOCHS, BATCH, RATE = 42, 500, 16, 0.01
WIDTH, HIDDEN = 8, 16
HIDDEN_SCORE = -1e9
"""What the notebook puts in place of a score that lies in the future."""

Modules = dict[str, nn.Module]


def main(threads: int) -> None:
    """Train once, and tell of it line by line."""
    torch.set_num_threads(threads)
    torch.manual_seed(SEED)
    tokenizer = Tokenizer.words(GROOT)
    pairs = training_pairs(tokenizer.sequences(GROOT), pad_id=tokenizer.pad_id or 0)
    modules = fresh(tokenizer.vocab_size, pairs.contexts.shape[1])
    for epoch in training(modules, pairs):
        tell(epoch)
    parameters = {
        f"{module}.{name}": parameter.tolist()
        for module, made in modules.items()
        for name, parameter in made.named_parameters()
    }
    tell({"torch": torch.__version__, "parameters": parameters})


def fresh(vocab_size: int, length: int) -> Modules:
    """New modules by the notebook's names, in its order: each takes its numbers from one stream."""
    return {
        "token_embedding": nn.Embedding(vocab_size, WIDTH),
        "position_embedding": nn.Embedding(length, WIDTH),
        "transformer.attn.q": nn.Linear(WIDTH, WIDTH),
        "transformer.attn.k": nn.Linear(WIDTH, WIDTH),
        "transformer.attn.v": nn.Linear(WIDTH, WIDTH),
        "transformer.norm1": nn.LayerNorm(WIDTH),
        "transformer.norm2": nn.LayerNorm(WIDTH),
        "transformer.ffn.0": nn.Linear(WIDTH, HIDDEN),
        "transformer.ffn.2": nn.Linear(HIDDEN, WIDTH),
        "head": nn.Linear(WIDTH, vocab_size),
    }


def logits(modules: Modules, contexts: Tensor) -> Tensor:
    """Logits `[pair, position, vocab]`, by the same calls as in the notebook.

    Another order of the same sums would round otherwise, and after some hundred epochs it shows.
    """
    length = contexts.shape[1]
    h = modules["token_embedding"](contexts)
    h = h + modules["position_embedding"](torch.arange(length).unsqueeze(0))
    q, k, v = (modules[f"transformer.attn.{name}"](h) for name in "qkv")
    scores = q @ k.transpose(-2, -1) / WIDTH**0.5
    future = torch.tril(torch.ones(length, length)) == 0
    pattern = torch.softmax(scores.masked_fill(future, HIDDEN_SCORE), dim=-1)
    n1 = modules["transformer.norm1"](h + pattern @ v)
    widened = functional.relu(modules["transformer.ffn.0"](n1))
    n2 = modules["transformer.norm2"](n1 + modules["transformer.ffn.2"](widened))
    scored: Tensor = modules["head"](n2)
    return scored


def training(modules: Modules, pairs: Pairs) -> Iterator[dict[str, float]]:
    """The notebook's epochs, each by two measures of its loss, in nats."""
    contexts, targets, last = (
        torch.tensor(each.tolist()) for each in (pairs.contexts, pairs.targets, pairs.lengths - 1)
    )
    parameters = [each for module in modules.values() for each in module.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    loader: Any = DataLoader(range(len(pairs)), batch_size=BATCH, shuffle=True)
    for _ in range(EPOCHS):
        means, sizes = [], []
        for batch in loader:
            scored = logits(modules, contexts[batch])
            rows = torch.arange(len(batch))
            loss = functional.cross_entropy(scored[rows, last[batch]], targets[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            means.append(loss.item())
            sizes.append(len(batch))
        total = sum(mean * size for mean, size in zip(means, sizes, strict=True))
        yield {"loss": total / sum(sizes), "mean_of_batches": sum(means) / len(means)}


def tell(line: dict[str, Any]) -> None:
    """Print one line at once."""
    print(json.dumps(line), flush=True)  # noqa: T201  # This process is an edge.


if __name__ == "__main__":
    main(int(sys.argv[1]))
