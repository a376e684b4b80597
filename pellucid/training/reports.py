"""What a training on text reports as it goes: data, handed to whoever listens."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.training.units import perplexity


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStep:
    """One move of the parameters. What it measured is from before the move."""

    step: int
    """Counted from 1."""
    steps: int
    """How many there are to be."""
    loss: float
    """The mean over all tokens of the batch, in nats."""
    learning_rate: float
    gradient_norm: float
    """The length of the whole gradient before it was clipped."""
    tokens: int
    """Predicted in this step."""
    seconds: float
    """That this step took, by the clock."""

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """The model after so many steps, held against text that it was not trained on."""

    step: int
    loss: float
    """In nats per token."""
    bits_per_byte: float
    best: bool
    """Whether no validation before was as good."""

    @property
    def perplexity(self) -> float:
        """e to the loss: among how many equally likely tokens the model as good as chooses."""
        return perplexity(self.loss)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What the model after so many steps makes of the first words of the validation text."""

    step: int
    prompt: str
    text: str
    """Without the prompt."""
