"""Ids laid out to train on: contexts with their targets, and the order of the batches.

Every array is int64 and read-only. Knows no text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pellucid.errors import PellucidError

Ids = npt.NDArray[np.int64]

NO_TARGET = -1
"""In an array of targets: nothing is to be predicted here."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Contexts of one sentence each, and the id that came next.

    `contexts` [pair, position] is padded on the right, `targets` [pair], and `lengths` [pair] says
    how many ids of a context are not padding.
    """

    contexts: Ids
    targets: Ids
    lengths: Ids

    def __len__(self) -> int:
        return len(self.targets)


def training_pairs(sequences: Sequence[Sequence[int]], *, pad_id: int) -> Pairs:
    """Return every proper prefix of every sequence as a context, with the id that follows it.

    A sequence has its start and end token; n ids make n − 1 pairs. The contexts together take
    pairs × longest ids, which for long sequences is a great deal: `whole_sentences` holds the same
    predictions once each. Raises `PellucidError` for a sequence of fewer than two ids, or none.
    """
    _check(sequences)
    lengths = np.concatenate([np.arange(1, len(ids)) for ids in sequences])
    contexts = np.full((len(lengths), lengths.max()), pad_id, dtype=np.int64)
    row = 0
    for ids in sequences:
        prefixes = len(ids) - 1
        block = contexts[row : row + prefixes, :prefixes]
        # Row i of the block holds the first i + 1 ids: a lower triangle.
        np.copyto(block, np.asarray(ids[:-1]), where=np.tri(prefixes, dtype=bool))
        row += prefixes
    targets = np.concatenate([np.asarray(ids[1:], dtype=np.int64) for ids in sequences])
    return Pairs(_read_only(contexts), _read_only(targets), _read_only(lengths))


def whole_sentences(sequences: Sequence[Sequence[int]], *, pad_id: int) -> tuple[Ids, Ids]:
    """Return each sequence as one context with a target at every position.

    Contexts [sentence, position] hold all ids but the last and are padded on the right; targets
    [sentence, position] hold all but the first, and −1 at padding. Under a causal mask these are
    the predictions of `training_pairs`. Raises what `training_pairs` raises.
    """
    _check(sequences)
    shape = len(sequences), max(map(len, sequences)) - 1
    contexts = np.full(shape, pad_id, dtype=np.int64)
    targets = np.full(shape, NO_TARGET, dtype=np.int64)
    for row, ids in enumerate(sequences):
        contexts[row, : len(ids) - 1] = ids[:-1]
        targets[row, : len(ids) - 1] = ids[1:]
    return _read_only(contexts), _read_only(targets)


def packed_windows(ids: Sequence[int] | Ids, *, block_size: int) -> tuple[Ids, Ids]:
    """Cut one long run of ids into windows of `block_size`, each id but the first a target once.

    Contexts and targets are [window, position], a target one place after its context's id. Where
    the windows do not come out even, the last one starts earlier, so that it is full as well, and
    has −1 for the targets that the window before it has already. Raises `PellucidError` when the
    ids do not fill one window.
    """
    run = np.asarray(ids, dtype=np.int64)
    n_targets = len(run) - 1
    if block_size < 1:
        raise PellucidError(f"block_size={block_size}: a window holds at least 1 id.")
    if n_targets < block_size:
        raise PellucidError(
            f"The text has {len(run)} ids, and one window of block_size={block_size} takes "
            f"{block_size + 1}. Give a longer text or a smaller block_size."
        )
    starts = np.arange(0, n_targets, block_size)
    overlap = starts[-1] + block_size - n_targets
    starts[-1] -= overlap
    places = starts[:, None] + np.arange(block_size)
    contexts, targets = run[places], run[places + 1]
    targets[-1, :overlap] = NO_TARGET
    return _read_only(contexts), _read_only(targets)


class Order:
    """Which of `n` examples are in the batch of a step: a function of (seed, step) alone.

    An epoch is a permutation of all examples, cut into batches of `batch_size`; the last batch is
    as short as it must be. Steps count from 0 and may be asked for in any order, so that a resumed
    run sees what the unbroken one would have seen. Raises `PellucidError` for sizes below 1 and
    a negative seed.
    """

    def __init__(self, n: int, *, batch_size: int, seed: int) -> None:
        for name, value, least in (("n", n, 1), ("batch_size", batch_size, 1), ("seed", seed, 0)):
            if value < least:
                raise PellucidError(f"{name}={value} must be at least {least}.")
        self.n = n
        self.batch_size = batch_size
        self.seed = seed
        self._latest = 0, self._permutation(0)

    @property
    def batches_per_epoch(self) -> int:
        """How many steps it takes to see every example once."""
        return -(-self.n // self.batch_size)

    def indices(self, step: int) -> Ids:
        """Return the examples [batch] of `step`."""
        if step < 0:
            raise PellucidError(f"step={step} must be at least 0.")
        epoch, batch = divmod(step, self.batches_per_epoch)
        # Remembered for speed: a permutation costs more than a step of a small model should wait.
        remembered, permutation = self._latest
        if remembered != epoch:
            permutation = self._permutation(epoch)
            self._latest = epoch, permutation
        return permutation[batch * self.batch_size : (batch + 1) * self.batch_size]

    def _permutation(self, epoch: int) -> Ids:
        source = np.random.SeedSequence(self.seed, spawn_key=(epoch,))
        return _read_only(np.random.default_rng(source).permutation(self.n))


def _check(sequences: Sequence[Sequence[int]]) -> None:
    if not sequences:
        raise PellucidError("There are no sentences to train on. Give at least one.")
    for number, ids in enumerate(sequences, start=1):
        if len(ids) < 2:
            raise PellucidError(
                f"Sentence {number} has {len(ids)} ids; a context and a target take at least 2. "
                "Put the start and the end token around it."
            )


def _read_only(array: Ids) -> Ids:
    array.flags.writeable = False
    return array
