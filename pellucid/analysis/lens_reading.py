"""LensReading: what a model would say at each place of its residual stream. It never changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pellucid.analysis.found import Found
from pellucid.analysis.last_steps import engine_of, guess_at, in_words, last_steps
from pellucid.ops.operation import Array
from pellucid.trace.explanation import spell
from pellucid.trace.tensor import TracedTensor, lock
from pellucid.trace.trace import Trace

if TYPE_CHECKING:
    from pellucid.model.model import Model


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LensReading(Found):
    """The likeliest tokens at every place and position, and how far each guess is from the model's.

    Probabilities are over the whole vocabulary, by the model's own softmax.

    Attributes:
        model: what was looked into.
        trace: its run: the states of the stream, the logits and the probabilities.
        places: the states by name, from `embed.out` to what the model's last steps read.
        followed: `[position, token]`: ids whose probability is kept everywhere; the first is what
            the model says at that position.
        likeliest: `[place, position, rank]`: ids, the likeliest first.
        probs: `[place, position, rank]`: theirs.
        entropy: `[place, position]`: how unsure the guess is, in nats.
        divergence: `[place, position]`: KL(what the model says ‖ the guess), in nats.
        followed_probs: `[place, position, token]`.
        followed_ranks: `[place, position, token]`: 1 for the likeliest.
    """

    model: Model
    trace: Trace
    places: tuple[str, ...]
    followed: Array
    likeliest: Array
    probs: Array
    entropy: Array
    divergence: Array
    followed_probs: Array
    followed_ranks: Array

    @property
    def tokens(self) -> tuple[str, ...]:
        """Of the text."""
        return self.trace.tokens

    @property
    def steps(self) -> tuple[str, ...]:
        """What every state is put through: the model's own last steps, by name."""
        return last_steps(self.trace)

    @property
    def place_words(self) -> tuple[str, ...]:
        """The places by block and what it has done last: `3 attention`."""
        return tuple(map(in_words, self.places))

    def token(self, id: int) -> str:
        """How a token reads; its id where there is no tokenizer."""
        names = self.trace.vocabulary
        return str(id) if names is None else names[id]

    def logits(self, place: str) -> TracedTensor:
        """The scores of the whole vocabulary at a place, `[position, vocab]`, worked out anew.

        Raises:
            PellucidError: the stream has no state of that name.
        """
        scores = guess_at(engine_of(self.model, self.trace), self.trace, place).logits
        labels = self.trace.labels
        return TracedTensor(
            name=f"{place}.lens",
            values=lock(scores),
            dims=("position", "vocab"),
            labels={dim: labels[dim] for dim in ("position", "vocab") if dim in labels},
            title=f"Logits that the last steps make of {place}",
            equation="",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, infinities and NaN spelled as words."""
        return {
            "ids": list(self.trace.ids),
            "tokens": list(self.tokens),
            "steps": list(self.steps),
            "edits": [str(edit) for edit in self.trace.edits],
            "places": [
                {
                    "name": place,
                    "positions": [self.at(row, position) for position in range(len(self.tokens))],
                }
                for row, place in enumerate(self.places)
            ],
        }

    def at(self, place: int, position: int) -> dict[str, Any]:
        """One guess as plain data."""
        ids, followed = self.likeliest[place, position], self.followed[position]
        probs, followed_probs = self.probs[place, position], self.followed_probs[place, position]
        return {
            "likeliest": [
                {"id": int(id), "token": self.token(id), "probability": spell(prob)}
                for id, prob in zip(ids, probs.tolist(), strict=True)
            ],
            "entropy": spell(float(self.entropy[place, position])),
            "divergence": spell(float(self.divergence[place, position])),
            "followed": [
                {"id": int(id), "token": self.token(id), "probability": spell(p), "rank": int(rank)}
                for id, p, rank in zip(
                    followed,
                    followed_probs.tolist(),
                    self.followed_ranks[place, position],
                    strict=True,
                )
            ],
        }
