"""The sentences a tour is about, as the ids, pairs and distributions that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pellucid.text.batches import Pairs, training_pairs
from pellucid.text.statistics import Context, conditional_distributions, conditional_entropy
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.sentences import pairs_of


@dataclass(frozen=True)
class Corpus:
    """Sentences under one tokenizer; everything else is computed from the two when asked for."""

    sentences: tuple[str, ...]
    tokenizer: Tokenizer

    @property
    def pad_id(self) -> int:
        """What fills up a short context; any id does, where a tokenizer has none for it."""
        return self.tokenizer.pad_id or 0

    @cached_property
    def sequences(self) -> tuple[tuple[int, ...], ...]:
        """The ids of each sentence between start and end token."""
        return tuple(tuple(ids) for ids in self.tokenizer.sequences(self.sentences))

    @cached_property
    def pairs(self) -> Pairs:
        """Every beginning of every sentence, with the id that follows it."""
        if self.tokenizer.pad_id is None:
            return training_pairs(self.sequences, pad_id=self.pad_id)
        return pairs_of(self.tokenizer, self.sentences)

    @cached_property
    def distributions(self) -> dict[Context, dict[int, float]]:
        """How often each id follows each context: what a perfect model would say."""
        return conditional_distributions(self.pairs)

    @cached_property
    def undecided(self) -> tuple[Context, ...]:
        """The contexts after which more than one id occurs, shortest first."""
        open_ones = [
            context for context, next_ids in self.distributions.items() if len(next_ids) > 1
        ]
        return tuple(sorted(open_ones, key=len))

    @cached_property
    def occurrences(self) -> dict[Context, int]:
        """In how many pairs each context stands."""
        counts = dict.fromkeys(self.distributions, 0)
        rows = zip(self.pairs.contexts.tolist(), self.pairs.lengths.tolist(), strict=True)
        for context, length in rows:
            counts[tuple(context[:length])] += 1
        return counts

    @cached_property
    def floor(self) -> float:
        """The lowest mean loss over the pairs that any model can have, in nats."""
        return conditional_entropy(self.pairs)

    def label(self, id: int) -> str:
        return self.tokenizer.label(id)

    def read(self, ids: Sequence[int]) -> str:
        """Ids as a reader sees them: "<START> i am"."""
        return " ".join(self.tokenizer.labels(ids))
