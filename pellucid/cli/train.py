"""`pellucid train`: a text becomes a model."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pellucid.cli import training_options as ask
from pellucid.cli.output import WRONG_INPUT, complain
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from rich.console import Console

    from pellucid.cli.watching import Watcher
    from pellucid.training.preflight import Preflight
    from pellucid.training.text_run import TextRun

INTERRUPTED = 130
SENTENCES = "baby-groot"
PICTURE = "loss.png"
RUNS = Path("runs")

OF_THE_COMMAND = ("texts", "out", "dry_run", "tensorboard", "json")
"""What is not handed on to `pellucid.train` under the same name."""
HOW = ("engine", "device", "compile", "checkpoint_activations", "sharding")
"""What decides speed, memory and rounding alone."""
FILM = ("film", "film_half")
"""What keeps weights on the way, and changes none."""
WITH_RESUME = ("resume", "steps", "threads", *HOW)


def train(
    ctx: typer.Context,
    texts: ask.Texts = None,
    preset: ask.Preset = None,
    out: ask.Out = None,
    steps: ask.Steps = None,
    seed: ask.Seed = None,
    batch_size: ask.BatchSize = None,
    block_size: ask.BlockSize = None,
    n_layer: ask.NLayer = None,
    n_head: ask.NHead = None,
    n_embd: ask.NEmbd = None,
    tokenizer: ask.Tokenizer = None,
    vocab_size: ask.VocabSize = None,
    learning_rate: ask.LearningRate = None,
    schedule: ask.Schedule = None,
    warmup: ask.Warmup = None,
    dropout: ask.Dropout = None,
    weight_decay: ask.WeightDecay = None,
    accumulate: ask.Accumulate = None,
    clip: ask.Clip = None,
    validation: ask.Validation = None,
    every: ask.Every = None,
    keep: ask.Keep = None,
    resume: ask.Resume = None,
    from_model: ask.FromModel = None,
    encoding: ask.Encoding = None,
    threads: ask.Threads = None,
    dtype: ask.Dtype = None,
    engine: ask.Engine = None,
    device: ask.Device = None,
    compile: ask.Compile = None,
    checkpoint_activations: ask.CheckpointActivations = None,
    sharding: ask.Sharding = None,
    film: ask.Film = None,
    film_half: ask.FilmHalf = None,
    dry_run: ask.DryRun = False,
    tensorboard: ask.TensorBoard = False,
    json: ask.Json = False,
) -> None:
    """Train a model on text, and save it as it goes.

    Says first what it will take and what is to be beaten. Ctrl-C ends the step, saves, and says how
    to go on. With --preset baby-groot it learns sentences, one on each line, as the tour's does.
    """
    given = {
        name: value
        for name, value in ctx.params.items()
        if value is not None and name not in OF_THE_COMMAND
    }
    check_together(given, out=out)
    corpus = texts or None
    if preset == SENTENCES:
        train_on_sentences(corpus, given, out=out, only_text=dry_run or tensorboard or json)
        return
    with one_voice() as is_first:
        if dry_run:
            figures = rehearsed(corpus, given)
            if is_first:
                show_figures(figures, json=json)
        else:
            folder = Path(resume or out or RUNS / name_of(corpus))
            train_on_text(
                corpus, given, folder, tensorboard=tensorboard, json=json, is_first=is_first
            )


@contextmanager
def one_voice() -> Iterator[bool]:
    """Whether this process speaks for all that train together; what another tells is not told."""
    from pellucid.training.ranks import LostError, ToldError, launched

    try:
        yield launched().is_first
    except LostError as error:
        complain(str(error))
        # What is left of the connections may abort Python as it ends.
        sys.stdout.flush()
        os._exit(WRONG_INPUT)
    except ToldError:
        raise typer.Exit(WRONG_INPUT) from None


def check_together(given: Mapping[str, Any], *, out: str | None) -> None:
    """Raise `PellucidError` for options that contradict each other."""
    if "resume" in given:
        for name in (*given, *(["out"] if out is not None else [])):
            if name not in WITH_RESUME:
                raise PellucidError(
                    f"{ask.flag(name)} does not go with --resume: a run goes on as it began. "
                    "Leave it out."
                )
    if "from_model" in given and "preset" in given:
        raise PellucidError(
            "--preset does not go with --from: the model has its own shape. Leave one out."
        )


def name_of(corpus: list[str] | None) -> str:
    """What a run on these texts is called: after the first of them."""
    if corpus is None:
        return "stories"
    return Path(corpus[0]).stem.strip("*?[].-") or "text"


# Running text


def train_on_text(
    corpus: list[str] | None,
    given: dict[str, Any],
    folder: Path,
    *,
    tensorboard: bool,
    json: bool,
    is_first: bool,
) -> None:
    """Train, telling of it all the while, and say at the end what came of it."""
    from rich.console import Console

    from pellucid.cli.watching import Watcher
    from pellucid.training.train import train

    where: dict[str, Any] = {} if "resume" in given else {"out": folder}
    # A program reads standard output, and people the rest.
    console = Console(stderr=json)
    speaks = watchers(console, folder, tensorboard=tensorboard) if is_first else Watcher()
    with speaks as watcher:
        run = train(
            corpus,
            **where,
            **given,
            on_preflight=watcher.on_preflight,
            on_step=watcher.on_step,
            on_validation=watcher.on_validation,
            on_sample=watcher.on_sample,
            on_notice=watcher.on_notice,
        )
    if is_first:
        say_what_came_of_it(run, folder, watcher, json=json)
    if not run.finished:
        raise typer.Exit(INTERRUPTED)


def say_what_came_of_it(run: TextRun, folder: Path, watcher: Watcher, *, json: bool) -> None:
    """The last lines, and the picture of the losses."""
    from pellucid.cli.output import write_json
    from pellucid.cli.training_outcome import outcome_lines

    for line in (
        *outcome_lines(run, folder),
        draw_losses(run, folder),
        *film_next(folder),
        what_next(run, folder),
    ):
        watcher.on_notice(line)
    if json:
        write_json(as_data(run))


def watchers(console: Console, folder: Path, *, tensorboard: bool) -> Watcher:
    """Who tells of the training: lines, with a bar below them where there is a terminal."""
    from pellucid.cli.training_lines import TrainingLines
    from pellucid.cli.training_live import TrainingLive
    from pellucid.cli.watching import Watchers

    lines = TrainingLive(console) if console.is_terminal else TrainingLines(console)
    if not tensorboard:
        return lines
    from pellucid.cli.tensorboard import FOLDER, TensorBoard

    return Watchers(TensorBoard(folder / FOLDER), lines)


def draw_losses(run: TextRun, folder: Path) -> str:
    """Put the picture of the whole run's losses into its folder, and say so, or why not.

    A run that is trained and saved is not to fail for want of a picture.
    """
    from pellucid.training.metrics import read_metrics
    from pellucid.views.figures import write_figure
    from pellucid.views.loss_curve import loss_curve

    try:
        curve = loss_curve(read_metrics(folder), run.preflight.baselines)
        return f"{write_figure(curve, folder / PICTURE)} has the curve of the losses."
    except PellucidError as error:
        return str(error)


def film_next(folder: Path) -> list[str]:
    """How to watch the film of a run that kept one."""
    from pellucid.training.film_file import FILM as FILE

    if not (folder / FILE).exists():
        return []
    return [f'Watch it: pellucid film {shlex.quote(str(folder))} "a prompt" --out film.gif']


def what_next(run: TextRun, folder: Path) -> str:
    """The command that is next."""
    here = shlex.quote(str(folder))
    if run.finished:
        return f"Let it write: pellucid generate {here} --temperature 0.8 --max-new-tokens 300"
    several = run.preflight.processes > 1
    return f"Go on: {'torchrun … -m ' if several else ''}pellucid train --resume {here}"


def as_data(run: TextRun) -> dict[str, Any]:
    """What came of it as plain data."""
    return {
        "folder": str(run.folder),
        "finished": run.finished,
        "loss": run.loss,
        "best_step": run.best_step,
        "seconds": run.seconds,
        "preflight": figures_data(run.preflight),
        "validations": [asdict(each) | {"perplexity": each.perplexity} for each in run.validations],
    }


# Figures alone


def rehearsed(corpus: list[str] | None, given: dict[str, Any]) -> Preflight:
    """The figures of what was asked for."""
    from pellucid.training.preparation import TextOptions
    from pellucid.training.rehearsal import rehearse, rehearse_resumption

    if "resume" in given:
        return rehearse_resumption(
            given["resume"],
            corpus=corpus,
            steps=given.get("steps"),
            threads=given.get("threads"),
            how={name: given[name] for name in HOW if name in given},
            on_notice=complain,
        )
    known = TextOptions.__annotations__
    changes: Any = {name: value for name, value in given.items() if name in known}
    how = {name: value for name, value in given.items() if name in HOW}
    rest = {n: value for n, value in given.items() if n not in (*known, *HOW, *FILM)}
    return rehearse(corpus, **rest, how=how, on_notice=complain, options=changes)


def show_figures(figures: Preflight, *, json: bool) -> None:
    """Print the figures of a training that is not begun."""
    from pellucid.cli.output import show, write_json
    from pellucid.views.preflight import preflight_blocks

    if json:
        write_json(figures_data(figures))
    else:
        show(preflight_blocks(figures))


def figures_data(figures: Preflight) -> dict[str, Any]:
    """The figures as plain data, with what follows from them."""
    return {
        **asdict(figures),
        "tokens_per_character": figures.tokens_per_character,
        "epochs": figures.epochs,
        "seconds": figures.seconds,
    }


# Sentences


def train_on_sentences(
    corpus: list[str] | None, given: dict[str, Any], *, out: str | None, only_text: bool
) -> None:
    """Train on sentences, as the tour does, with a bar while it lasts."""
    from pellucid.cli.output import say
    from pellucid.cli.progress import TrainingBar
    from pellucid.training.recipes import RECIPES
    from pellucid.training.train import train

    if only_text or (corpus is not None and len(corpus) > 1):
        raise PellucidError(
            f"--preset {SENTENCES} learns sentences from one file: it has no --dry-run, "
            "--tensorboard or --json. Leave them out, or choose --preset nano."
        )
    folder = Path(out or RUNS / (SENTENCES if corpus is None else name_of(corpus)))
    with TrainingBar(RECIPES["default"].epochs) as bar:
        run = train(None if corpus is None else corpus[0], out=folder, on_epoch=bar.update, **given)
    say(f"Loss {run.loss:.4f} nats per token; these sentences allow no less than {run.floor:.4f}.")
    for line in film_next(folder):
        say(line)
    say(f"Let it speak: pellucid generate {shlex.quote(str(folder))}")
