"""A shuffled order that takes no memory: each place is computed when it is asked for."""

from math import isqrt

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_ROUNDS = 8


class Shuffle:
    """A permutation of 0 … n − 1 that follows from its source of random bits alone.

    A place is written as two digits, of which each in turn is moved by an amount that depends on
    the other: a Feistel network on a · b ≥ n numbers. One that it puts at n or beyond goes through
    it again until it lands below (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
    """

    def __init__(self, n: int, source: np.random.SeedSequence) -> None:
        self.n = n
        # Nearly a square of nearly n numbers, so that hardly any place goes through it twice.
        self._low = np.uint64(isqrt(n - 1) + 1)
        self._high = np.uint64(-(-n // int(self._low)))
        self._keys: Words = source.generate_state(_ROUNDS, np.uint64).astype(np.uint64)

    def __call__(self, places: Places) -> Places:
        """Return where the shuffle puts each of `places`."""
        moved = self._moved(places.astype(np.uint64))
        while (beyond := moved >= self.n).any():
            moved[beyond] = self._moved(moved[beyond])
        return moved.astype(np.int64)

    def _moved(self, places: Words) -> Words:
        high, low = np.divmod(places, self._low)
        for key_of_high, key_of_low in self._keys.reshape(-1, 2):
            high = (high + _mixed(low ^ key_of_high) % self._high) % self._high
            low = (low + _mixed(high ^ key_of_low) % self._low) % self._low
        return high * self._low + low


def _mixed(values: Words) -> Words:
    """Mix every bit into every other: the finisher of SplitMix64 (Steele et al., 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
