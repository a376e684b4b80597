"""TrainingRun: a trained model with everything that says how it came to be."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path

import msgspec

from pellucid.errors import PellucidError
from pellucid.files import write_whole
from pellucid.model.model import Model
from pellucid.showing import to_html
from pellucid.training.film_file import FILM, About, write_film
from pellucid.training.film_plan import HALF, FilmPlan
from pellucid.training.frames import Frames
from pellucid.training.history import Epoch
from pellucid.training.recipes import Recipe

TRAINING, METRICS, TIMING = "training.json", "metrics.jsonl", "timing.jsonl"


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingRun:
    """What a training hands out. Losses are in nats per token."""

    model: Model
    loss: float
    """The finished model's mean over all training pairs."""
    floor: float
    """The conditional entropy of the corpus: the least mean loss that any model can have."""
    recipe: Recipe
    seed: int
    seconds: float
    """By the clock, from corpus to model."""
    history: tuple[Epoch, ...] = field(repr=False)
    """Every epoch in order."""
    frames: Frames | None = field(default=None, repr=False)
    """What was kept for a film; see `pellucid.film`."""

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the model's folder and beside it how it was trained; returns the folder.

        `training.json` has recipe, seed, loss and floor, `metrics.jsonl` a line for each epoch:
        what the seed decides. `timing.jsonl` has what the clock decided. `film.safetensors` has
        what was kept for a film.

        Raises:
            PellucidError: the folder cannot be written.
        """
        folder = self.model.save(Path(folder))
        facts = {
            "recipe": self.recipe,
            "seed": self.seed,
            "loss": self.loss,
            "floor": self.floor,
        }
        try:
            write(folder / METRICS, msgspec.json.Encoder().encode_lines(map(asdict, self.history)))
            write(folder / TIMING, msgspec.json.encode({"seconds": self.seconds}) + b"\n")
            self.save_film(folder / FILM)
            write(folder / TRAINING, msgspec.json.format(msgspec.json.encode(facts)) + b"\n")
        except OSError as error:
            raise PellucidError(f"{folder} cannot be written: {error.strerror or error}.") from None
        return folder

    def save_film(self, path: Path) -> None:
        """Write what was kept; a film of another run is taken away.

        Raises:
            OSError: it cannot be written.
        """
        if self.frames is None:
            path.unlink(missing_ok=True)
            return
        half = next(iter(self.frames.arrays.values())).dtype == HALF
        plan = FilmPlan(steps=self.frames.steps, half=half)
        about = About(plan=plan, planned=self.frames.steps, unit=self.frames.unit)
        write_film(path, self.frames, about=about)

    def _repr_html_(self) -> str:
        return to_html(self)


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    write_whole(path, lambda draft: draft.write_bytes(content))
