"""Lesson: what one tour is about, its text and its model, and where to look in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from pellucid.tour.corpus import Corpus
from pellucid.tour.phrases import quoted
from pellucid.tour.trials import Trials
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.trace import Trace

BLOCK = 0
"""The block that is looked into; those above it do the same again."""
HEAD = 0
"""The head that is looked into, where there are several."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A prompt, and a model that was given or is trained on the way.

    `corpus` is None where a given model comes without its sentences. What no part asks for is not
    computed: the first part trains nothing.
    """

    prompt: str
    source: Model | Trials
    tokenizer: Tokenizer
    corpus: Corpus | None

    @property
    def trials(self) -> Trials | None:
        """The trainings of this tour; None with a given model."""
        return self.source if isinstance(self.source, Trials) else None

    @cached_property
    def model(self) -> Model:
        return self.source.run.model if isinstance(self.source, Trials) else self.source

    @cached_property
    def prompt_ids(self) -> tuple[int, ...]:
        return tuple(self.tokenizer.prompt(self.prompt))

    @cached_property
    def followers(self) -> tuple[int, ...]:
        """What really follows the prompt's tokens, one id after the other.

        The last token has a follower where the prompt is a whole sentence of the corpus: the end.
        """
        end = self.tokenizer.end_id
        if self.corpus and end is not None and (*self.prompt_ids, end) in self.corpus.sequences:
            return (*self.prompt_ids[1:], end)
        return self.prompt_ids[1:]

    @cached_property
    def trace(self) -> Trace:
        """Everything that the model computes over the prompt."""
        return self.model.trace(self.prompt)

    def inside(self, name: str) -> TracedTensor:
        """A tensor or a parameter of the block that is looked into, by its name there."""
        return self.trace[inside(name)]

    def token(self, position: int) -> str:
        """A token of the prompt in quotation marks; with its position where it occurs twice."""
        tokens = self.trace.tokens
        label, position = tokens[position], position % len(tokens)
        return quoted(label) + (f" (position {position})" if tokens.count(label) > 1 else "")

    @cached_property
    def look(self) -> tuple[int, int]:
        """The query and the earlier key between which attention is strongest.

        A key behind the start token is preferred, because much attention is parked there. A lone
        token has nothing but itself to look at: 0 and 0.
        """
        pattern = self.inside("attn.pattern").values[HEAD]
        back = [(query, key) for query in range(len(pattern)) for key in range(query)]
        words = [(query, key) for query, key in back if key > 0]
        return max(words or back, key=lambda places: float(pattern[places]), default=(0, 0))


def inside(name: str) -> str:
    """The full name of a tensor of the block that is looked into."""
    return f"blocks.{BLOCK}.{name}"
