"""What it costs to read a text of some length, and how far its gradient goes back, in torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import torch
from torch import Tensor
from torch.nn import functional

from pellucid.decoder.config import ModelConfig
from pellucid.engine.torch_module import TorchDecoder
from pellucid.model.model import Model

Read = Callable[[Tensor], Tensor]
"""From vectors `[1, position, d]` to logits `[1, position, vocab]`."""

FEWEST, SECONDS = 3, 0.2
"""A text is read so often at least to be timed, and then on for so long at most."""


@dataclass(frozen=True, eq=False)
class Text:
    """Random vectors `[1, position, d]` and targets `[position]`: what is read to be measured."""

    vectors: Tensor
    targets: Tensor


def random_text(*, length: int, width: int, vocab_size: int, seed: int) -> Text:
    """A text of that length; the same for every way to read."""
    generator = torch.Generator().manual_seed(seed)
    return Text(
        torch.randn(1, length, width, generator=generator),
        torch.randint(vocab_size, (length,), generator=generator),
    )


def seconds(read: Read, text: Text) -> float:
    """The median time to read a text, find the loss at every token, and go all the way back."""

    def both_ways() -> None:
        given = text.vectors.clone().requires_grad_()
        functional.cross_entropy(read(given)[0], text.targets).backward()

    both_ways()
    times: list[float] = []
    while len(times) < FEWEST or sum(times) < SECONDS:
        started = perf_counter()
        both_ways()
        times.append(perf_counter() - started)
    return median(times)


def slope(read: Read, text: Text) -> float:
    """How strongly the loss at the last token depends on the first: its gradient's length there."""
    given = text.vectors.clone().requires_grad_()
    functional.cross_entropy(read(given)[0, -1:], text.targets[-1:]).backward()
    assert given.grad is not None  # It is a leaf, and the loss depends on it.
    return float(given.grad[0, 0].norm())


def read_at_once(config: ModelConfig, *, length: int, seed: int) -> Read:
    """A fresh decoder as a reader: given vectors take the place of the embedded tokens."""
    fresh = Model.from_config(config.replace(block_size=length), seed=seed, scheme="torch")
    module = TorchDecoder(fresh.graph, fresh.parameters)
    given = {
        "ids": torch.zeros(1, length, dtype=torch.int64),
        "positions": torch.arange(length).unsqueeze(0),
    }
    route = module.route((), ("logits",))

    def read(vectors: Tensor) -> Tensor:
        def embedded(name: str, made: Tensor) -> Tensor:
            return vectors if name == "embed.out" else made

        return module.run(given, route, embedded)["logits"]

    return read
