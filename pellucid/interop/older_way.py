"""A decoder beside an RNN and an LSTM: the same pairs, a like number of parameters.

The recurrent ones are torch's own, trained by the recipe that the decoder is trained by.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.engine.find_torch import require_torch
from pellucid.training.loop import OnEpoch
from pellucid.training.run import TrainingRun
from pellucid.training.sentences import Sentences, pairs_of, read_corpus, train_sentences
from pellucid.training.threads import pinned

if TYPE_CHECKING:
    from pellucid.interop.reading import Read
    from pellucid.interop.recurrent import Kind
    from pellucid.text.batches import Pairs

LENGTHS = (4, 16, 64, 256, 1024)
DECODER, RNN, LSTM, CELL_BY_CELL = "decoder", "RNN", "LSTM", "LSTM, cell by cell"


@dataclass(frozen=True, eq=False, kw_only=True)
class Way:
    """One way to read, trained on the pairs. Losses are in nats."""

    name: str
    n_parameters: int
    losses: tuple[float, ...]
    """The mean over all pairs in each epoch, and last that of the finished model."""

    @property
    def loss(self) -> float:
        return self.losses[-1]


@dataclass(frozen=True, eq=False, kw_only=True)
class OlderWay:
    """An RNN, an LSTM and a decoder: what they learned, and how they read texts of any length.

    `seconds` and `slopes` have a number for each of `lengths`, by the name of the way: how long it
    takes on this machine to read a text and to go back, and how much of the gradient of the loss at
    the last token arrives at the first. Both are of fresh weights.
    """

    ways: tuple[Way, ...]
    """The decoder is the first."""
    floor: float
    """The least mean loss that any model can have, in nats."""
    lengths: tuple[int, ...]
    seconds: Mapping[str, tuple[float, ...]]
    slopes: Mapping[str, tuple[float, ...]]
    torch: str
    """The release of torch."""


def older_way(
    corpus: Sentences | None = None,
    *,
    seed: int = 0,
    run: TrainingRun | None = None,
    on_epoch: OnEpoch | None = None,
) -> OlderWay:
    """Train all three on a corpus, and measure on this machine how they read longer texts.

    It takes some seconds. Products are made on one thread, so that no way waits for another.

    Args:
        corpus: sentences, or the path of a file of them; the 19 embedded ones unless given.
        seed: decides the fresh weights and the order of the batches.
        run: the decoder's training on these sentences, where it is over already.
        on_epoch: called with each epoch of the decoder's training.

    Raises:
        PellucidError: PyTorch is not installed, or the corpus cannot be read.
    """
    require_torch("A training of RNN and LSTM")
    import torch

    sentences = read_corpus(corpus)
    run = run or train_sentences(sentences, seed=seed, on_epoch=on_epoch)
    assert run.model.tokenizer is not None  # A training on sentences makes one.
    pairs = pairs_of(run.model.tokenizer, sentences)
    with pinned(1, "torch"):
        seconds, slopes = measured(run)
        return OlderWay(
            ways=(
                decoder_way(run),
                recurrent_way("RNN", run, pairs),
                recurrent_way("LSTM", run, pairs),
            ),
            floor=run.floor,
            lengths=LENGTHS,
            seconds=seconds,
            slopes=slopes,
            torch=torch.__version__,
        )


def decoder_way(run: TrainingRun) -> Way:
    """The decoder, trained already."""
    losses = (*(epoch.loss for epoch in run.history), run.loss)
    return Way(name=DECODER, n_parameters=run.model.n_parameters, losses=losses)


def recurrent_way(kind: Kind, run: TrainingRun, pairs: Pairs) -> Way:
    """An RNN or an LSTM, trained as the decoder was."""
    from pellucid.interop.recurrent import recurrent_like, train_recurrent

    model = recurrent_like(kind, run.model, seed=run.seed)
    losses = train_recurrent(model, pairs, recipe=run.recipe, seed=run.seed)
    return Way(name=kind, n_parameters=model.n_parameters, losses=tuple(losses))


def measured(
    run: TrainingRun,
) -> tuple[dict[str, tuple[float, ...]], dict[str, tuple[float, ...]]]:
    """Seconds and slopes at each length, by the name of the way."""
    from pellucid.interop.reading import random_text, read_at_once, seconds, slope
    from pellucid.interop.recurrent import recurrent_like

    config, seed = run.model.config, run.seed
    times: dict[str, list[float]] = {}
    slopes: dict[str, list[float]] = {}

    def note(name: str, read: Read) -> None:
        times.setdefault(name, []).append(seconds(read, text))
        if name != CELL_BY_CELL:  # The same numbers, found in another way.
            slopes.setdefault(name, []).append(slope(read, text))

    rnn, lstm = (recurrent_like(kind, run.model, seed=seed) for kind in ("RNN", "LSTM"))
    for length in LENGTHS:
        text = random_text(
            length=length, width=config.n_embd, vocab_size=config.vocab_size, seed=seed
        )
        note(DECODER, read_at_once(config, length=length, seed=seed))
        note(RNN, rnn.logits)
        note(LSTM, lstm.logits)
        with cell_by_cell():
            note(CELL_BY_CELL, lstm.logits)
    return (
        {name: tuple(found) for name, found in times.items()},
        {name: tuple(found) for name, found in slopes.items()},
    )


@contextmanager
def cell_by_cell() -> Iterator[None]:
    """Have torch go through an LSTM step by step, as through an RNN.

    On CPUs it has all steps of an LSTM in one operation of oneDNN, and none like it for an RNN.
    """
    import torch

    with warnings.catch_warnings():
        # To switch oneDNN off, torch asks after GPUs that are not there, and says so.
        warnings.simplefilter("ignore", UserWarning)
        with torch.backends.mkldnn.flags(enabled=False):
            yield
