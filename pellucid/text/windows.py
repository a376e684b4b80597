"""Windows of running text to train on: which ones a step sees, and what is in them.

Knows no text. The ids may be a mapped file far larger than memory.
"""

from collections.abc import Iterator

import numpy as np

from pellucid.errors import PellucidError
from pellucid.text.batches import NO_TARGET, Ids
from pellucid.text.mapped import Run, release
from pellucid.text.permutation import Shuffle


class Windows:
    """Windows of `block_size` ids, shuffled: a function of (seed, step) alone.

    Samples are numbered from 0 without end; sample s is a window of epoch s // `per_epoch`. An
    epoch cuts the ids, end to end, into `per_epoch` windows, and each comes once. Where the first
    one begins is the epoch's own, so that no word stands at the same place of a window in every
    epoch; the fewer than 2 · `block_size` ids that are left over at the ends come in other epochs.
    Step i has the samples from i · `batch_size`, whether they are taken at once or part by part.
    Raises `PellucidError` when the ids do not fill one window, and for sizes below 1.
    """

    def __init__(self, ids: Run, *, block_size: int, batch_size: int, seed: int) -> None:
        if seed < 0:
            raise PellucidError(f"seed={seed} must be at least 0.")
        _check_batch_size(batch_size)
        _check_length(ids, block_size)
        self.ids = ids
        self.block_size = block_size
        self.batch_size = batch_size
        self.seed = seed
        n_targets = len(ids) - 1
        self.per_epoch = max(1, (n_targets - (block_size - 1)) // block_size)
        self._n_left_over = n_targets - self.per_epoch * block_size
        self._epochs: dict[int, tuple[int, Shuffle]] = {}

    def samples(self, step: int) -> Ids:
        """Return the numbers [batch] of the samples that `step` sees."""
        if step < 0:
            raise PellucidError(f"step={step} must be at least 0.")
        return np.arange(step * self.batch_size, (step + 1) * self.batch_size)

    def starts(self, samples: Ids) -> Ids:
        """Return where in the ids the window of each sample begins [batch]."""
        epochs, places = np.divmod(samples, self.per_epoch)
        starts = np.empty_like(places)
        for epoch in np.unique(epochs).tolist():
            here = epochs == epoch
            beginning, shuffle = self._epoch(epoch)
            starts[here] = beginning + shuffle(places[here]) * self.block_size
        return starts

    def windows(self, samples: Ids) -> tuple[Ids, Ids]:
        """Return contexts and targets [batch, position] of the samples, int64.

        A target stands at the place of the id before it.
        """
        return _cut(self.ids, self.starts(samples), self.block_size)

    def batch(self, step: int) -> tuple[Ids, Ids]:
        """Return contexts and targets [batch, position] of `step`, int64."""
        return self.windows(self.samples(step))

    def _epoch(self, epoch: int) -> tuple[int, Shuffle]:
        """Return how many ids an epoch leaves out at first, and the order of its windows."""
        if epoch not in self._epochs:
            start, order = np.random.SeedSequence((self.seed, epoch)).spawn(2)
            beginning = int(np.random.default_rng(start).integers(self._n_left_over + 1))
            # Only the latest is remembered: an epoch is left for good when the next one begins.
            self._epochs = {epoch: (beginning, Shuffle(self.per_epoch, order))}
        return self._epochs[epoch]


def windows_in_order(ids: Run, *, block_size: int, batch_size: int) -> Iterator[tuple[Ids, Ids]]:
    """Yield contexts and targets [batch, position] that hold every id but the first as a target.

    Each is one once: where the last window would not be full it starts earlier, with −1 for the
    targets that came before, as in `packed_windows`; the last batch is as short as it must be.
    Raises what `Windows` raises.
    """
    _check_batch_size(batch_size)
    _check_length(ids, block_size)
    n_targets = len(ids) - 1
    n_windows = -(-n_targets // block_size)
    for first in range(0, n_windows, batch_size):
        starts = np.arange(first, min(first + batch_size, n_windows)) * block_size
        overlap = max(0, int(starts[-1]) + block_size - n_targets)
        starts[-1] -= overlap
        contexts, targets = _cut(ids, starts, block_size)
        targets[-1, :overlap] = NO_TARGET
        yield contexts, targets


def split(ids: Run, validation: float = 0.1, *, block_size: int = 1) -> tuple[Run, Run]:
    """Cut the ids in two: what comes first to train on, and the last part to validate with.

    `validation` is the part's share, from 0 (none) to less than 1; where a share is asked for, it
    is at least one window of `block_size`. Raises `PellucidError` for other shares, and when what
    is left to train on does not fill a window.
    """
    if not 0 <= validation < 1:
        raise PellucidError(f"validation={validation} must be a share, at least 0 and below 1.")
    _check_length(ids, block_size)
    window = block_size + 1
    held_out = max(round(len(ids) * validation), window) if validation else 0
    if len(ids) - held_out < window:
        raise PellucidError(
            f"The text has {len(ids):,} tokens; {held_out:,} of them to validate with leave "
            f"{len(ids) - held_out:,}, and one window of block_size={block_size} takes {window:,}. "
            "Give a longer text, a smaller block_size, or validation=0."
        )
    return ids[: len(ids) - held_out], ids[len(ids) - held_out :]


def _cut(ids: Run, starts: Ids, block_size: int) -> tuple[Ids, Ids]:
    places = starts[:, None] + np.arange(block_size + 1)
    windows = ids[places].astype(np.int64)
    release(ids)
    return windows[:, :-1].copy(), windows[:, 1:].copy()


def _check_length(ids: Run, block_size: int) -> None:
    if block_size < 1:
        raise PellucidError(f"block_size={block_size}: a window holds at least 1 token.")
    if len(ids) < block_size + 1:
        raise PellucidError(
            f"The text has {len(ids):,} tokens, and one window of block_size={block_size} takes "
            f"{block_size + 1:,}. Give a longer text or a smaller block_size."
        )


def _check_batch_size(batch_size: int) -> None:
    if batch_size < 1:
        raise PellucidError(f"batch_size={batch_size} must be at least 1.")
