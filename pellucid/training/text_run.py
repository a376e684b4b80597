"""TextRun: a model trained on running text, with everything that says how it came to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pellucid.model.folder import load
from pellucid.model.model import Model
from pellucid.showing import to_html
from pellucid.training.frames import Frames
from pellucid.training.preflight import Preflight
from pellucid.training.reports import TrainingStep, Validation
from pellucid.training.text_recipe import TextRecipe


@dataclass(frozen=True, eq=False, kw_only=True)
class TextRun:
    """What a training on text hands out. Losses are in nats per token."""

    source: Model | Path = field(repr=False)
    """The model, or the folder to read it from: see `model`."""
    loss: float | None
    """Its validation loss; without validation, the last step's, if this call took one."""
    best_step: int
    """After how many steps the model stood like this; the last, where the recipe keeps that."""
    recipe: TextRecipe
    seed: int
    seconds: float
    """By the clock, of this call."""
    finished: bool
    """Whether all steps were taken; if not, the run was stopped and can be resumed."""
    preflight: Preflight = field(repr=False)
    history: tuple[TrainingStep, ...] = field(repr=False)
    """The steps that this call took, in order."""
    validations: tuple[Validation, ...] = field(repr=False)
    """Those that this call made, in order."""
    folder: Path | None = None
    """Where it is saved."""
    frames: Frames | None = field(default=None, repr=False)
    """What was kept for a film, of a run that is not saved; see `pellucid.film`."""

    @cached_property
    def model(self) -> Model:
        """The best by validation, or the last: as `recipe.keep` says.

        Where nothing was held out the two are one.

        Of a training that was divided among processes it is read when it is first asked for.
        """
        return self.source if isinstance(self.source, Model) else load(self.source)

    def _repr_html_(self) -> str:
        return to_html(self)
