"""BabyGroot trained as its notebook trains it, in torch: a process of its own, which prints JSON.

`python -m pellucid.interop.notebook_torch 2` trains with two threads. For each epoch it prints a
line `{"loss", "mean_of_batches"}`, and at the end `{"torch", "parameters", "decayed"}`: the last is
what becomes of the same fresh weights by the default recipe.
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
from pellucid.training.recipes import RECIPES
from pellucid.training.schedules import learning_rate

SEED, EPOCHS, BATCH, RATE = 42, 500, 16, 0.01
WIDTH, HIDDEN = 8, 16
HIDDEN_SCORE = -1e9
"""What the notebook puts in place of a score that lies in the future."""

Modules = dict[str, nn.Module]


def main(threads: int) -> None:
    """Train twice, and tell of it line by line."""
    torch.set_num_threads(threads)
    tokenizer = Tokenizer.words(GROOT)
    pairs = training_pairs(tokenizer.sequences(GROOT), pad_id=tokenizer.pad_id or 0)
    shape = tokenizer.vocab_size, pairs.contexts.shape[1]
    torch.manual_seed(SEED)
    modules = fresh(*shape)
    for epoch in training(modules, pairs):
        tell(epoch)
    torch.manual_seed(SEED)
    decayed = fresh(*shape)
    train_decaying(decayed, pairs)
    tell(
        {
            "torch": torch.__version__,
            "parameters": numbers(modules),
            "decayed": numbers(decayed),
        }
    )


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
    optimizer = torch.optim.Adam(parameters(modules), lr=RATE)
    loader: Any = DataLoader(range(len(pairs)), batch_size=BATCH, shuffle=True)
    for _ in range(EPOCHS):
        means, sizes = [], []
        for batch in loader:
            means.append(step(modules, pairs, batch, optimizer))
            sizes.append(len(batch))
        total = sum(mean * size for mean, size in zip(means, sizes, strict=True))
        yield {"loss": total / sum(sizes), "mean_of_batches": sum(means) / len(means)}


def train_decaying(modules: Modules, pairs: Pairs) -> None:
    """Train by the default recipe instead: all pairs at once, at a rate that falls to 0."""
    recipe = RECIPES["default"]
    linear = [module.weight for module in modules.values() if isinstance(module, nn.Linear)]
    others = [each for each in parameters(modules) if all(each is not one for one in linear)]
    groups = [{"params": linear}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(
        groups, betas=(recipe.beta1, recipe.beta2), weight_decay=recipe.weight_decay
    )
    for epoch in range(recipe.epochs):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(
                epoch, steps=recipe.epochs, peak=recipe.learning_rate, shape=recipe.schedule
            )
        step(modules, pairs, torch.arange(len(pairs)), optimizer)


def step(modules: Modules, pairs: Pairs, batch: Tensor, optimizer: Any) -> float:
    """Learn from some of the pairs; returns their mean loss, measured before."""
    contexts, targets, last = (
        torch.tensor(each[batch.numpy()])
        for each in (pairs.contexts, pairs.targets, pairs.lengths - 1)
    )
    scored = logits(modules, contexts)[torch.arange(len(batch)), last]
    loss = functional.cross_entropy(scored, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss.item())


def parameters(modules: Modules) -> list[nn.Parameter]:
    """All that is learned."""
    return [each for module in modules.values() for each in module.parameters()]


def numbers(modules: Modules) -> dict[str, Any]:
    """All that was learned, by the notebook's names."""
    return {
        f"{name}.{local}": parameter.tolist()
        for name, module in modules.items()
        for local, parameter in module.named_parameters()
    }


def tell(line: dict[str, Any]) -> None:
    """Print one line at once."""
    print(json.dumps(line), flush=True)  # noqa: T201  # This process is an edge.


if __name__ == "__main__":
    main(int(sys.argv[1]))
