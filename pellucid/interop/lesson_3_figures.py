"""The decoder-only stack held against every figure that its lesson prints, and its three exercises.

The lesson draws random weights from `default_rng(42)`, runs them over eight token ids once, and
prints shapes, scores and choices. Its exercises change one thing each: six blocks, a batch of four
texts, a head tied to the token embedding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pellucid.decoder.graph import GRAPH_INPUTS
from pellucid.engine.run import Run
from pellucid.errors import PellucidError
from pellucid.interop.seeds import lesson_3
from pellucid.model.model import Model
from pellucid.ops.operation import Array, Dims

LENGTH = 8
"""How many token ids each text has."""
DECIMALS = 6
"""The lesson rounds scores and sums to so many."""
MOST = 1000
"""Blocks or texts; more would take minutes, and show nothing else."""
PRINTED_CONFIG = {"vocab_size": 24, "block_size": 16, "n_embd": 64, "n_head": 4, "n_layer": 2}
PRINTED_IDS = (20, 17, 9, 15, 22, 17, 12, 19)
PRINTED_LOGITS = (-0.125102, -0.162544, 0.013865, 0.063748, 0.057978)
PRINTED_CHOICES = (5, 19, 20, 23, 7, 12, 10, 12)

Numbers = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What is changed of the lesson; nothing unless given.

    `same_ids` reads the ids that the unchanged lesson draws. Without it they are drawn after this
    variation's own parameters: more blocks take more draws, so other ids follow.

    Raises:
        PellucidError: a size is not from 1 to 1000, or `same_ids` is asked for a batch.
    """

    n_layer: int = PRINTED_CONFIG["n_layer"]
    batch: int = 1
    tied_head: bool = False
    same_ids: bool = False

    def __post_init__(self) -> None:
        if not (1 <= self.n_layer <= MOST and 1 <= self.batch <= MOST):
            raise PellucidError(
                f"{self.n_layer} blocks and a batch of {self.batch}: both must be 1 to {MOST}."
            )
        if self.same_ids and self.batch > 1:
            raise PellucidError(
                f"The lesson has one text of {LENGTH} ids; a batch of {self.batch} draws its own."
            )

    @property
    def title(self) -> str:
        """What is changed, in words."""
        changes = []
        if self.n_layer != PRINTED_CONFIG["n_layer"]:
            changes.append(f"{self.n_layer} block{'s' if self.n_layer > 1 else ''}")
        if self.batch > 1:
            changes.append(f"a batch of {self.batch}")
        if self.tied_head:
            changes.append("the head tied to the token embedding")
        return ", ".join(changes) or "as printed"


EXERCISES = (
    Variation(),
    Variation(n_layer=6),
    Variation(batch=4),
    Variation(tied_head=True),
)
"""The lesson itself, and its three exercises."""


@dataclass(frozen=True)
class Figure:
    """Numbers of one kind: as the lesson prints them (None where it does not), and as we compute.

    `decimals` is how many the lesson shows.
    """

    name: str
    printed: Numbers | None
    ours: Numbers
    decimals: int = 0

    @property
    def difference(self) -> float | None:
        """The largest between a printed number and ours; infinite where their count differs."""
        if self.printed is None:
            return None
        if len(self.printed) != len(self.ours):
            return float("inf")
        return max(abs(a - b) for a, b in zip(self.printed, self.ours, strict=True))

    @property
    def agrees(self) -> bool | None:
        """Whether ours are the printed numbers once they are rounded as those are."""
        if self.printed is None:
            return None
        return tuple(round(number, self.decimals) for number in self.ours) == self.printed


@dataclass(frozen=True)
class Stage:
    """What one stage of the forward pass hands on: tensor, dims, and shape beside the lesson's."""

    title: str
    tensor: str
    dims: Dims
    shape: Figure


@dataclass(frozen=True, eq=False)
class Reproduction:
    """One variation, run and compared: ids [batch, position], logits [batch, position, vocab]."""

    variation: Variation
    ids: Array
    logits: Array
    stages: tuple[Stage, ...]
    figures: tuple[Figure, ...]

    @property
    def agrees(self) -> bool:
        """Whether every figure that the lesson prints is ours too."""
        return all(figure.agrees is not False for figure in self.compared)

    @property
    def compared(self) -> tuple[Figure, ...]:
        """Every figure for which the lesson prints a number."""
        every = (*(stage.shape for stage in self.stages), *self.figures)
        return tuple(figure for figure in every if figure.printed is not None)


def reproduce(variation: Variation = EXERCISES[0]) -> Reproduction:
    """Draw the lesson's parameters and ids with one variation, run them in float64 and compare."""
    model, ids = draw(variation)
    tensors = [tensor for _, tensor, _ in shapes(variation) if tensor != "ids"]
    run = model.engine.forward({"ids": ids}, keep=tensors, outputs=("logits", "probs"))
    again, same_ids = draw(variation)
    return Reproduction(
        variation=variation,
        ids=ids,
        logits=run["logits"],
        stages=tuple(stages(variation, model, run)),
        figures=(
            *config_figures(variation, model),
            *printed_figures(variation, ids, run["logits"]),
            sum_figure(run["probs"]),
            repeat_figure(run["logits"], again.logits(same_ids)),
        ),
    )


def draw(variation: Variation) -> tuple[Model, Array]:
    """The model and the ids `[batch, position]`, in the order in which the lesson draws them."""
    model, rng = lesson_3(n_layer=variation.n_layer, tied_head=variation.tied_head)
    if variation.same_ids:
        _, rng = lesson_3()
    return model, rng.integers(0, model.config.vocab_size, size=(variation.batch, LENGTH))


def shapes(variation: Variation) -> Iterator[tuple[str, str, str]]:
    """Each stage whose shape the lesson prints: title, our tensor, its dims in their letters."""
    yield "token ids", "ids", "BT"
    yield "token embeddings", "embed.tokens", "BTC"
    yield "position embeddings", "embed.positions", "TC"
    yield "embedded", "embed.out", "BTC"
    for i in range(variation.n_layer):
        yield f"after block {i + 1}", f"blocks.{i}.resid_post", "BTC"
    yield "after the final norm", "final_norm", "BTC"
    yield "logits", "logits", "BTV"


def stages(variation: Variation, model: Model, run: Run) -> Iterator[Stage]:
    """The shapes that are there, beside those that the lesson's letters stand for."""
    sizes = {
        "B": variation.batch,
        "T": LENGTH,
        "C": PRINTED_CONFIG["n_embd"],
        "V": PRINTED_CONFIG["vocab_size"],
    }
    all_dims = {**GRAPH_INPUTS, **{fact.name: fact.dims for fact in model.graph.facts.values()}}
    for title, tensor, letters in shapes(variation):
        # Positions are the same for every text: the lesson keeps them once.
        batched = letters.startswith("B")
        shape = run[tensor].shape if batched else run[tensor][0].shape
        dims = ("batch", *all_dims[tensor]) if batched else all_dims[tensor]
        expected = tuple(sizes[letter] for letter in letters)
        yield Stage(title, tensor, dims, Figure(f"shape {title}", expected, shape))


def config_figures(variation: Variation, model: Model) -> Iterator[Figure]:
    """The sizes that the lesson states, and the variation's number of blocks."""
    for name, printed in {**PRINTED_CONFIG, "n_layer": variation.n_layer}.items():
        yield Figure(name, (printed,), (getattr(model.config, name),))


def printed_figures(variation: Variation, ids: Array, logits: Array) -> Iterator[Figure]:
    """Ids, scores and choices of every text; the first text is the one that the lesson prints."""
    other_ids = variation.n_layer != PRINTED_CONFIG["n_layer"] and not variation.same_ids
    other_model = variation.n_layer != PRINTED_CONFIG["n_layer"] or variation.tied_head
    for text in range(len(ids)):
        where = f" of text {text}" if len(ids) > 1 else ""
        first = text == 0
        yield Figure(
            f"ids{where}",
            PRINTED_IDS if first and not other_ids else None,
            tuple(ids[text].tolist()),
        )
        for i, printed in enumerate(PRINTED_LOGITS if first else ()):
            known = None if other_model else (printed,)
            yield Figure(f"logits[0, 0, {i}]", known, (float(logits[0, 0, i]),), DECIMALS)
        yield Figure(
            f"next{where}",
            PRINTED_CHOICES if first and not other_model else None,
            tuple(logits[text].argmax(axis=-1).tolist()),
        )


def sum_figure(probs: Array) -> Figure:
    """Each position's probabilities, added up."""
    sums = tuple(probs.sum(axis=-1).reshape(-1).tolist())
    return Figure("sums of softmax", (1.0,) * len(sums), sums, DECIMALS)


def repeat_figure(logits: Array, again: Array) -> Figure:
    """How many bytes of the scores come out differently when all is drawn and run once more."""
    same = np.frombuffer(logits.tobytes(), np.uint8) == np.frombuffer(again.tobytes(), np.uint8)
    return Figure("changed on rerun", (0,), (int((~same).sum()),))
