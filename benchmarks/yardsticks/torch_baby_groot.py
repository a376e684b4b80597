"""BabyGroot trained the ordinary way: PyTorch modules, a DataLoader, Adam.

The same recipe as Pellucid's `notebook`, written as a PyTorch user would write it: one
post-norm block of width 8 with one head, a feed-forward of width 16, 500 epochs over padded
contexts in shuffled batches of 16, Adam at a constant rate of 0.01, and cross-entropy read at
the last real token of each context. Nothing here is made slow on purpose.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

PAD, START, END = 0, 1, 2


class Attention(nn.Module):
    """Single-head causal self-attention without an output projection."""

    def __init__(self, width: int, block_size: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.scale = width**-0.5
        future = torch.ones(block_size, block_size, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, position, d_model] → the same shape."""
        length = x.shape[1]
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.scale
        scores = scores.masked_fill(self.future[:length, :length], float("-inf"))
        return scores.softmax(dim=-1) @ self.value(x)


class BabyGroot(nn.Module):
    """The whole decoder: embeddings, one post-norm block, head; 968 parameters for 24 tokens."""

    def __init__(self, vocab_size: int, block_size: int, width: int = 8, d_mlp: int = 16) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, width)
        self.positions = nn.Embedding(block_size, width)
        self.attention = Attention(width, block_size)
        self.norm1 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, d_mlp), nn.ReLU(), nn.Linear(d_mlp, width))
        self.norm2 = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, ids: Tensor) -> Tensor:
        """ids [batch, position] → logits [batch, position, vocab]."""
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        x = self.norm1(x + self.attention(x))
        x = self.norm2(x + self.mlp(x))
        return self.head(x)


@dataclass(frozen=True)
class Result:
    """What training left: `losses` per epoch (mean nats over pairs) and the whole-corpus loss."""

    losses: list[float]
    final_loss: float
    pairs: int
    parameters: int


def encode(sentences: Sequence[str]) -> tuple[Tensor, Tensor, int]:
    """Sentences → contexts [pair, position], targets [pair] and the vocabulary's size."""
    vocabulary = ["<PAD>", "<START>", "<END>"]
    vocabulary += sorted({word for sentence in sentences for word in sentence.split()})
    index = {word: i for i, word in enumerate(vocabulary)}
    contexts, targets = [], []
    for sentence in sentences:
        ids = [START, *(index[word] for word in sentence.split()), END]
        for end in range(1, len(ids)):
            contexts.append(torch.tensor(ids[:end]))
            targets.append(ids[end])
    padded = nn.utils.rnn.pad_sequence(contexts, batch_first=True, padding_value=PAD)
    return padded, torch.tensor(targets), len(vocabulary)


def last_token_loss(model: nn.Module, contexts: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy in nats, read at each context's last real token."""
    last = (contexts != PAD).sum(dim=1) - 1
    logits = model(contexts)[torch.arange(len(contexts)), last]
    return functional.cross_entropy(logits, targets)


def train(sentences: Sequence[str], *, epochs: int = 500, seed: int = 0) -> Result:
    """Train from scratch and return the losses, in nats."""
    torch.manual_seed(seed)
    contexts, targets, vocab_size = encode(sentences)
    model = BabyGroot(vocab_size, contexts.shape[1])
    loader = DataLoader(TensorDataset(contexts, targets), batch_size=16, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for batch_contexts, batch_targets in loader:
            loss = last_token_loss(model, batch_contexts, batch_targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch_targets)
        losses.append(total / len(targets))
    with torch.no_grad():
        final_loss = last_token_loss(model, contexts, targets).item()
    return Result(losses, final_loss, len(targets), sum(p.numel() for p in model.parameters()))
