"""The older way to read: torch's own RNN and LSTM between an embedding and a head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from pellucid.model.model import Model
from pellucid.text.batches import Order, Pairs
from pellucid.training.recipes import Recipe
from pellucid.training.schedules import learning_rate

Kind = Literal["RNN", "LSTM"]
LAYERS = {"RNN": nn.RNN, "LSTM": nn.LSTM}
GATES = {"RNN": 1, "LSTM": 4}
"""How many maps from the token and from the state there are in each."""


@dataclass(frozen=True, eq=False)
class Recurrent:
    """A model that hands a state on from token to token: `embedding`, `layer`, `head`."""

    embedding: Any
    layer: Any
    head: Any

    def logits(self, vectors: Tensor) -> Tensor:
        """From vectors `[batch, position, d]` to logits `[batch, position, vocab]`."""
        states, _ = self.layer(vectors)
        scored: Tensor = self.head(states)
        return scored

    @property
    def parameters(self) -> list[nn.Parameter]:
        """All that is learned."""
        parts = (self.embedding, self.layer, self.head)
        return [each for part in parts for each in part.parameters()]

    @property
    def n_parameters(self) -> int:
        return sum(each.numel() for each in self.parameters)


def recurrent_like(kind: Kind, decoder: Model, *, seed: int) -> Recurrent:
    """A fresh one, drawn as torch draws it, with about as many parameters as a decoder."""
    vocab_size, width = decoder.config.vocab_size, decoder.config.n_embd
    like = decoder.n_parameters

    def size(state: int) -> int:
        own = GATES[kind] * state * (width + state + 2)
        return vocab_size * width + own + (state + 1) * vocab_size

    state = min(range(1, like), key=lambda state: abs(size(state) - like))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Recurrent(
            nn.Embedding(vocab_size, width),
            LAYERS[kind](width, state, batch_first=True),
            nn.Linear(state, vocab_size),
        )


def train_recurrent(model: Recurrent, pairs: Pairs, *, recipe: Recipe, seed: int) -> list[float]:
    """Train in place on the pairs that a decoder learns, by AdamW as the recipe says.

    Returns:
        The mean loss over all pairs in each epoch, and once more after the last, in nats.
    """
    order = Order(len(pairs), batch_size=recipe.batch_size, seed=seed)
    steps = recipe.epochs * order.batches_per_epoch
    optimizer = adamw(model, recipe)
    losses = []
    for epoch in range(recipe.epochs):
        total = 0.0
        for step in range(epoch * order.batches_per_epoch, (epoch + 1) * order.batches_per_epoch):
            batch = order.indices(step)
            rate = learning_rate(
                step, steps=steps, peak=recipe.learning_rate, shape=recipe.schedule
            )
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss = pairs_loss(model, pairs, batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.item()) * len(batch)
        losses.append(total / len(pairs))
    with torch.no_grad():
        return [*losses, float(pairs_loss(model, pairs, slice(None)).item())]


def adamw(model: Recurrent, recipe: Recipe) -> torch.optim.Optimizer:
    """AdamW that makes linear maps smaller, and neither the embedding nor biases."""
    maps = [each for part in (model.layer, model.head) for each in part.parameters()]
    matrices = [each for each in maps if each.ndim > 1]
    others = [*model.embedding.parameters(), *(each for each in maps if each.ndim < 2)]
    groups = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(
        groups,
        betas=(recipe.beta1, recipe.beta2),
        eps=recipe.epsilon,
        weight_decay=recipe.weight_decay,
    )


def pairs_loss(model: Recurrent, pairs: Pairs, batch: Any) -> Tensor:
    """The mean loss over some pairs, each at the last real token of its context."""
    contexts, targets, last = (
        torch.tensor(each[batch]) for each in (pairs.contexts, pairs.targets, pairs.lengths - 1)
    )
    scored = model.logits(model.embedding(contexts))
    loss: Tensor = functional.cross_entropy(scored[torch.arange(len(targets)), last], targets)
    return loss
