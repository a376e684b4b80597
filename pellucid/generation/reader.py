"""What gives the logits after windows of ids, and works no position out twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pellucid.engine.cache import KeyValueCache
from pellucid.engine.engine import Engine
from pellucid.generation.loop import Windows
from pellucid.generation.step import Logits
from pellucid.ops.operation import Array
from pellucid.trace.edited_steps import EditedSteps


class CachedReader:
    """Reads many windows in one run of an engine; remembers keys and values of those that grow.

    What it gives follows from the windows alone: a window that is not what was read before and one
    id more, as when it has begun to slide, is read anew as a whole.
    """

    def __init__(self, engine: Engine, *, n_tokens: int, edited: EditedSteps | None = None) -> None:
        """Nothing has been read yet. Rows of the vocabulary from `n_tokens` on are no tokens.

        With `edited` its engines run, and where edits let the future in, every window is read anew.
        """
        self.engine = engine
        self.n_tokens = n_tokens
        self.edited = edited
        self.steps = 0
        self.cache: KeyValueCache | None = None
        self.held: dict[int, list[int]] = {}
        """The ids that the cache has of each text, in the order of its rows."""

    def __call__(self, windows: Windows) -> dict[int, Logits]:
        """The logits `[vocab]` after each window, by the number of the text."""
        if self.edited is not None:
            self.engine = self.edited.at(self.steps)
        found = self.read(windows)
        self.steps += 1
        return found

    def read(self, windows: Windows) -> dict[int, Logits]:
        """The same, with the engine of this step."""
        if self.edited is not None and not self.edited.causal:
            # Each by itself: the future that is let in must not be another text's padding.
            return {n: self.anew({n: window})[n] for n, window in windows.items()}
        if self.cache is None:
            return self.begin(windows)
        held = {n: w for n, w in windows.items() if self.held.get(n) == list(w[:-1])}
        growing = {n: w for n, w in held.items() if self.cache.grows_to(len(w))}
        if held and not growing:
            # Rotary positions that depend on the length have changed: what was read is void.
            return self.begin(windows)
        others = {n: w for n, w in windows.items() if n not in growing}
        self.keep(growing)
        found = self.go_on(growing) | self.anew(others)
        return {number: found[number] for number in windows}

    def begin(self, windows: Windows) -> dict[int, Logits]:
        """Read windows into a new cache; equal ones, as of several samples, only once."""
        distinct = list(dict.fromkeys(map(tuple, windows.values())))
        ids, lengths = padded(distinct)
        self.cache = self.engine.new_cache(batch=len(distinct))
        run = self.engine.forward(
            self.given(ids), cache=self.cache, counts=lengths, places=lengths - 1
        )
        rows = [distinct.index(tuple(window)) for window in windows.values()]
        if rows != list(range(len(distinct))):
            self.cache.select(np.array(rows))
        self.held = {number: list(window) for number, window in windows.items()}
        return self.by_number(windows, run["logits"][rows])

    def go_on(self, windows: Windows) -> dict[int, Logits]:
        """Read the last id of each window; the cache has the others."""
        if not windows:
            return {}
        ids = np.array([window[-1:] for window in windows.values()])
        run = self.engine.forward(self.given(ids), cache=self.cache)
        self.held = {number: list(window) for number, window in windows.items()}
        return self.by_number(windows, run["logits"])

    def anew(self, windows: Windows) -> dict[int, Logits]:
        """Read whole windows, and remember nothing: those that slide are other ones each time."""
        if not windows:
            return {}
        ids, lengths = padded(list(windows.values()))
        run = self.engine.forward(self.given(ids), counts=lengths, places=lengths - 1)
        return self.by_number(windows, run["logits"])

    def given(self, ids: Array) -> dict[str, Array]:
        """What a run is given: ids `[text, position]`, and the step that reads them."""
        return {"ids": ids, "step": np.full_like(ids, self.steps)}

    def keep(self, numbers: Collection[int]) -> None:
        """Forget all texts but these, which are held, and in this order."""
        rows = [list(self.held).index(number) for number in numbers]
        if self.cache is not None and len(rows) < len(self.held):
            self.cache.select(np.array(rows, dtype=np.int64))
            self.held = {number: self.held[number] for number in numbers}

    def by_number(self, windows: Windows, logits: Array) -> dict[int, Logits]:
        """Logits `[text, 1, vocab]` as a row for each number, −∞ where there is no token."""
        logits[..., self.n_tokens :] = -np.inf
        return dict(zip(windows, logits[:, 0], strict=True))


def padded(windows: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Ids `[text, position]`, filled up at the right, and how many are real, `[text]`.

    With which id does not matter: no position sees what is at its right.
    """
    lengths = np.array([len(window) for window in windows])
    ids = np.zeros((len(windows), lengths.max()), dtype=np.int64)
    for row, window in zip(ids, windows, strict=True):
        row[: len(window)] = window
    return ids, lengths
