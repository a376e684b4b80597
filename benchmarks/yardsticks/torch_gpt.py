"""A small GPT trained the ordinary way: eager PyTorch modules, SDPA, AdamW, a clipped gradient.

Pre-norm blocks with one matrix for q, k and v, as those who write GPTs for speed do; learned
positions, a tanh GELU, and the head tied to the token embedding. Nothing is made slow on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

Batch = tuple[Tensor, Tensor]
"""Contexts and targets, [batch, position]."""


@dataclass(frozen=True)
class Shape:
    """The sizes that there are."""

    vocab_size: int
    block_size: int
    n_layer: int
    n_head: int
    n_embd: int


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.n_head = shape.n_head
        self.qkv = nn.Linear(shape.n_embd, 3 * shape.n_embd)
        self.out = nn.Linear(shape.n_embd, shape.n_embd)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, position, d_model] → the same shape."""
        batch, length, width = x.shape
        heads = self.qkv(x).view(batch, length, 3, self.n_head, width // self.n_head)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        z = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(z.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """Attention and a feed-forward network, each added to the stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.n_embd
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(shape)
        self.norm2 = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, position, d_model] → the same shape."""
        x = x + self.attention(self.norm1(x))
        hidden = functional.gelu(self.expand(self.norm2(x)), approximate="tanh")
        return x + self.contract(hidden)


class GPT(nn.Module):
    """The whole decoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.tokens = nn.Embedding(shape.vocab_size, shape.n_embd)
        self.positions = nn.Embedding(shape.block_size, shape.n_embd)
        self.blocks = nn.Sequential(*(Block(shape) for _ in range(shape.n_layer)))
        self.norm = nn.LayerNorm(shape.n_embd)

    def forward(self, ids: Tensor) -> Tensor:
        """ids [batch, position] → logits [batch, position, vocab]."""
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        return self.norm(self.blocks(x)) @ self.tokens.weight.T


class Training:
    """A GPT and its optimizer."""

    def __init__(self, shape: Shape, *, learning_rate: float, clip: float) -> None:
        self.model = GPT(shape)
        self.clip = clip
        matrices = [p for p in self.model.parameters() if p.dim() == 2]
        others = [p for p in self.model.parameters() if p.dim() != 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}]
        self.optimizer = torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.99))

    def steps(self, batches: Iterable[Batch]) -> list[float]:
        """Take a step on each batch; returns the losses in nats per token."""
        return [self.step(contexts, targets) for contexts, targets in batches]

    def step(self, contexts: Tensor, targets: Tensor) -> float:
        """Take one step."""
        logits = self.model(contexts)
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        return loss.item()


def take_over(model: GPT, parameters: dict[str, Tensor]) -> None:
    """Give the model weights under Pellucid's names, whose matrices are [in, out]."""
    with torch.no_grad():
        model.tokens.weight.copy_(parameters["token_embedding"])
        model.positions.weight.copy_(parameters["position_embedding"])
        copy_norm(model.norm, parameters, "final_norm")
        for number, block in enumerate(model.blocks):
            name = f"blocks.{number}"
            copy_norm(block.norm1, parameters, f"{name}.norm1")
            copy_norm(block.norm2, parameters, f"{name}.norm2")
            joined = [parameters[f"{name}.attn.w_{each}"] for each in "qkv"]
            block.attention.qkv.weight.copy_(torch.cat(joined, dim=1).T)
            joined = [parameters[f"{name}.attn.b_{each}"] for each in "qkv"]
            block.attention.qkv.bias.copy_(torch.cat(joined))
            copy_linear(block.attention.out, parameters, f"{name}.attn", "o")
            copy_linear(block.expand, parameters, f"{name}.mlp", "in")
            copy_linear(block.contract, parameters, f"{name}.mlp", "out")


def copy_norm(norm: nn.LayerNorm, parameters: dict[str, Tensor], name: str) -> None:
    """Give a norm its gain and shift."""
    norm.weight.copy_(parameters[f"{name}.gamma"])
    norm.bias.copy_(parameters[f"{name}.beta"])


def copy_linear(linear: nn.Linear, parameters: dict[str, Tensor], name: str, end: str) -> None:
    """Give a linear map its matrix and bias."""
    linear.weight.copy_(parameters[f"{name}.w_{end}"].T)
    linear.bias.copy_(parameters[f"{name}.b_{end}"])
