"""TextTraining: the steps of a run with all that goes on between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from time import perf_counter
from typing import NoReturn

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.training.evaluate import byte_lengths, measure
from pellucid.training.film_recorder import FilmRecorder
from pellucid.training.listeners import Listeners
from pellucid.training.preflight import Preflight
from pellucid.training.preparation import Preparation
from pellucid.training.ranks import ToldError
from pellucid.training.reports import Sample, TrainingStep, Validation
from pellucid.training.run_folder import Record, RunFolder, Text
from pellucid.training.text_run import TextRun
from pellucid.training.text_trainer import DivergedError, TextTrainer

MOST_VALIDATED = 50_000
"""Tokens of a validation, the first ones where there are more: enough for three digits."""
PROMPT_TOKENS = 16
SAMPLE_TOKENS = 160
SAMPLE_TEMPERATURE = 0.8


@dataclass(frozen=True, slots=True)
class Best:
    """The best model so far, or the one that the run is to be."""

    model: Model | None
    """None where it is in the run's folder alone, since no process has room for it."""
    step: int
    loss: float
    """In nats per token; ∞ before the first validation, and where there is none."""


class TextTraining:
    """Takes steps, and at intervals validates, shows a sample and saves a checkpoint.

    What it writes to `metrics.jsonl` and which model is the best do not depend on where a run was
    stopped and resumed.
    """

    def __init__(
        self,
        prepared: Preparation,
        trainer: TextTrainer,
        *,
        best: Best,
        folder: RunFolder | None,
        film: FilmRecorder | None,
        listeners: Listeners,
    ) -> None:
        self.prepared = prepared
        self.trainer = trainer
        self.best = best
        self.folder = folder
        self.film = film
        self.listeners = listeners
        self.environment = trainer.learner.environment()
        self.resumed = folder is not None and folder.record is not None
        self.history: list[TrainingStep] = []
        self.validations: list[Validation] = []
        self.byte_lengths = byte_lengths(prepared.tokenizer, trainer.start.config.vocab_size)

    def run(self, preflight: Preflight, stop: Callable[[], bool]) -> TextRun:
        """Take the steps that are left, or fewer if `stop`, asked after each, says so.

        Raises:
            PellucidError: a number stops being finite, or the folder cannot be written.
        """
        started = perf_counter()
        trainer = self.trainer
        if not self.resumed:
            self.keep()
        shown = self.as_it_was() if self.resumed else self.pause()
        while not trainer.finished:
            self.take_step()
            self.keep()
            stopped = stop()
            if self.folder is not None:
                self.folder.settle()
            if trainer.finished or trainer.steps_taken % trainer.recipe.every == 0:
                shown = self.pause()
            elif stopped:
                shown = self.pause_before_time()
            if stopped:
                break
        if self.film is not None:
            self.film.sync()
        if self.folder is not None:
            self.folder.finish()
        if not trainer.finished:
            self.say_how_to_go_on()
        return self.outcome(shown, preflight, seconds=perf_counter() - started)

    def take_step(self) -> None:
        """Move the parameters once, and report it."""
        try:
            report = self.trainer.step()
        except DivergedError as error:
            self.give_up(str(error))
        except PellucidError as error:
            raise PellucidError(f"{error}{self.last_good()}") from None
        self.history.append(report)
        if self.folder is not None:
            metrics = {
                "step": report.step,
                "loss": report.loss,
                "learning_rate": report.learning_rate,
                "gradient_norm": report.gradient_norm,
            }
            timing = {"step": report.step, "tokens": report.tokens, "seconds": report.seconds}
            self.folder.note(metrics, timing)
        self.listeners.on_step(report)

    def keep(self) -> None:
        """Keep the parameters for the film, if there is one and this is a step of it."""
        if self.film is not None:
            self.film.take()

    def pause(self) -> Best:
        """Validate, save and show a sample, as the recipe has it; returns the model to show."""
        report = self.validate()
        self.best, shown = self.choose(report)
        if report is not None and self.folder is not None:
            self.folder.note(
                {
                    "step": report.step,
                    "validation_loss": report.loss,
                    "bits_per_byte": report.bits_per_byte,
                }
            )
        self.save(shown)
        self.sample()
        return shown

    def pause_before_time(self) -> Best:
        """Save where the recipe has no validation; returns the model to show.

        Whether it is better than the best so far decides what is shown until the run goes on, and
        no more than that: a run that nobody stops would never know.
        """
        _, shown = self.choose(self.validate())
        self.save(shown)
        return shown

    def as_it_was(self) -> Best:
        """The model to show of a run that is gone on with, before its next step."""
        if not self.keeps_last:
            return self.best
        record = None if self.folder is None else self.folder.record
        known = None if record is None else record.shown_loss
        return self.latest(inf if known is None else known)

    def choose(self, report: Validation | None) -> tuple[Best, Best]:
        """The best model so far, after this report of the one that stands, and the one to show.

        Without validation the latest is the best.
        """
        improved = report is None or report.best
        if not improved and not self.keeps_last:
            return self.best, self.best
        latest = self.latest(inf if report is None else report.loss)
        best = latest if improved else self.best
        return best, latest if self.keeps_last else best

    def latest(self, loss: float) -> Best:
        """The model as it now stands, with its validation loss."""
        return Best(self.model_to_keep(), self.trainer.steps_taken, loss)

    @property
    def keeps_last(self) -> bool:
        """Whether the last model is shown, however it does on what is held out."""
        return self.trainer.recipe.keep == "last"

    def validate(self) -> Validation | None:
        """Hold the model as it stands against what is held out, and report it.

        Raises:
            PellucidError: a parameter or the loss is not finite.
        """
        step, learner = self.trainer.steps_taken, self.trainer.learner
        if not learner.is_finite():
            self.give_up(
                f"Step {step} has made parameters that are not finite. Train with a learning_rate "
                f"below {self.trainer.recipe.learning_rate}."
            )
        held_out = self.prepared.validation[:MOST_VALIDATED]
        if not len(held_out):
            return None
        found = measure(
            learner.losses, held_out, self.byte_lengths, block_size=self.prepared.block_size
        )
        # Whatever depends on it, all ranks must do alike.
        loss = self.trainer.ranks.of_first(found.loss)
        if not isfinite(loss):
            self.give_up(
                f"After step {step} the validation loss is {loss}. Train with a "
                f"learning_rate below {self.trainer.recipe.learning_rate}."
            )
        report = Validation(
            step=step,
            loss=loss,
            bits_per_byte=found.bits_per_byte,
            best=loss < self.best.loss,
        )
        self.validations.append(report)
        self.listeners.on_validation(report)
        return report

    def model_to_keep(self) -> Model | None:
        """The parameters as they now stand; None where the checkpoint is to keep them."""
        return None if self.is_divided and self.folder is not None else self.trainer.model()

    @property
    def is_divided(self) -> bool:
        """Whether no process has the whole model."""
        return self.trainer.learner.execution.shards

    def save(self, shown: Best) -> None:
        """Write a checkpoint, if the run has a folder; the film up to it is on the disk then."""
        if self.folder is None:
            return
        if self.film is not None:
            self.film.sync()
        prepared, tokens = self.prepared, self.prepared.tokens
        # A best model has a checkpoint of its own: one from before its time may not be the best.
        best = self.best if isfinite(self.best.loss) else shown
        record = Record(
            checkpoint=self.trainer.steps_taken,
            best=best.step,
            best_loss=best.loss if isfinite(best.loss) else None,
            shown=shown.step,
            shown_loss=shown.loss if isfinite(shown.loss) else None,
            metrics_bytes=0,
            recipe=self.trainer.recipe,
            seed=prepared.seed,
            block_size=prepared.block_size,
            text=Text(
                digest=tokens.digest,
                tokens=str(tokens.path),
                sources=prepared.sources,
                encoding=prepared.encoding,
            ),
            environment=self.environment,
            execution=self.trainer.learner.execution,
        )
        self.folder.save(self.trainer, record)

    def sample(self) -> None:
        """Have the model as it stands continue a piece of text, if somebody wants to see it."""
        if self.listeners.on_sample is None or self.is_divided:
            return
        tokenizer, ids = self.prepared.tokenizer, self.prepared.validation
        start = (ids if len(ids) else self.prepared.training)[:PROMPT_TOKENS].tolist()
        steps = self.trainer.model().generate(
            ids=start,
            max_new_tokens=SAMPLE_TOKENS,
            temperature=SAMPLE_TEMPERATURE,
            seed=self.trainer.seed,
        )
        prompt = tokenizer.decode(start)
        # Read together: a tokenizer that keeps no white space puts some between two words.
        text = tokenizer.decode([*start, *(step.id for step in steps)])[len(prompt) :]
        self.listeners.on_sample(Sample(step=self.trainer.steps_taken, prompt=prompt, text=text))

    def outcome(self, shown: Best, preflight: Preflight, *, seconds: float) -> TextRun:
        """All that the run leaves behind."""
        without_validation = self.history[-1].loss if self.history else None
        return TextRun(
            source=shown.model or self.where_kept(),
            loss=shown.loss if isfinite(shown.loss) else without_validation,
            best_step=shown.step,
            recipe=self.trainer.recipe,
            seed=self.trainer.seed,
            seconds=seconds,
            finished=self.trainer.finished,
            preflight=preflight,
            history=tuple(self.history),
            validations=tuple(self.validations),
            folder=None if self.folder is None else self.folder.path,
            frames=None if self.film is None else self.film.frames(),
        )

    def where_kept(self) -> Path:
        """The folder of a model that no process has room for."""
        assert self.folder is not None
        return self.folder.path

    def give_up(self, why: str) -> NoReturn:
        """Raise the `PellucidError` of what all ranks find out; what is being written is kept."""
        if self.folder is not None:
            self.folder.finish()
        speaks = self.trainer.ranks.is_first
        raise (PellucidError if speaks else ToldError)(f"{why}{self.last_good()}")

    def last_good(self) -> str:
        """Words about what an accident leaves."""
        record = None if self.folder is None else self.folder.record
        if self.folder is None or record is None:
            return ""
        return f" The checkpoint after step {record.checkpoint} in {self.folder.path} is kept."

    def say_how_to_go_on(self) -> None:
        taken, steps = self.trainer.steps_taken, self.trainer.recipe.steps
        where = "" if self.folder is None else f" Go on with --resume {self.folder.path}."
        self.listeners.on_notice(f"Stopped after step {taken} of {steps}.{where}")
