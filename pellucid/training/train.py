"""`pellucid.train`: from a text to a trained model in one call."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, Unpack, cast, overload

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.training.checks import check_count
from pellucid.training.execution import settled
from pellucid.training.film_plan import FilmPlan, FilmSteps
from pellucid.training.listeners import Listeners, ignore
from pellucid.training.loop import OnEpoch
from pellucid.training.preflight import Preflight
from pellucid.training.preparation import Corpus, TextOptions, given_options
from pellucid.training.recipes import RECIPES, Recipe
from pellucid.training.reports import Sample, TrainingStep, Validation
from pellucid.training.run import TrainingRun
from pellucid.training.sentences import Sentences, check_seed, train_sentences
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_run import TextRun
from pellucid.training.train_text import resume_text, train_text

BABY_GROOT = "baby-groot"

Path = str | PathLike[str]


@overload
def train(  # type: ignore[overload-overlap]
    corpus: Sentences | None = ...,
    *,
    preset: Literal["baby-groot"],
    recipe: str | Recipe | None = ...,
    seed: int = ...,
    dtype: str = ...,
    out: Path | None = ...,
    film: FilmSteps | None = ...,
    film_half: bool = ...,
    on_epoch: OnEpoch | None = ...,
) -> TrainingRun: ...


@overload
def train(
    corpus: Sentences | None = ...,
    *,
    preset: str | ModelConfig | None = ...,
    recipe: Recipe,
    seed: int = ...,
    dtype: str = ...,
    out: Path | None = ...,
    film: FilmSteps | None = ...,
    film_half: bool = ...,
    on_epoch: OnEpoch | None = ...,
) -> TrainingRun: ...


@overload
def train(
    corpus: Corpus | None = ...,
    *,
    preset: str | ModelConfig | None = ...,
    recipe: str | TextRecipe | None = ...,
    seed: int = ...,
    dtype: str = ...,
    out: Path | None = ...,
    resume: Path | None = ...,
    from_model: Path | Model | None = ...,
    encoding: str = ...,
    threads: int | None = ...,
    engine: str | None = ...,
    device: str | None = ...,
    compile: bool | None = ...,
    checkpoint_activations: bool | None = ...,
    sharding: str | None = ...,
    film: FilmSteps | None = ...,
    film_half: bool = ...,
    on_preflight: Callable[[Preflight], object] | None = ...,
    on_step: Callable[[TrainingStep], object] | None = ...,
    on_validation: Callable[[Validation], object] | None = ...,
    on_sample: Callable[[Sample], object] | None = ...,
    on_notice: Callable[[str], object] | None = ...,
    stop: Callable[[], bool] | None = ...,
    **options: Unpack[TextOptions],
) -> TextRun: ...


def train(
    corpus: Any = None,
    *,
    preset: str | ModelConfig | None = None,
    recipe: str | Recipe | TextRecipe | None = None,
    seed: int = 0,
    dtype: str = "float32",
    out: Path | None = None,
    on_epoch: OnEpoch | None = None,
    resume: Path | None = None,
    from_model: Path | Model | None = None,
    encoding: str = "utf-8",
    threads: int | None = None,
    engine: str | None = None,
    device: str | None = None,
    compile: bool | None = None,
    checkpoint_activations: bool | None = None,
    sharding: str | None = None,
    film: FilmSteps | None = None,
    film_half: bool = False,
    on_preflight: Callable[[Preflight], object] | None = None,
    on_step: Callable[[TrainingStep], object] | None = None,
    on_validation: Callable[[Validation], object] | None = None,
    on_sample: Callable[[Sample], object] | None = None,
    on_notice: Callable[[str], object] | None = None,
    stop: Callable[[], bool] | None = None,
    **options: Any,
) -> TrainingRun | TextRun:
    """Train a model on running text, or BabyGroot on sentences.

    The preset "baby-groot", and any shape with a `Recipe`, learns sentences word by word; see
    `train_sentences`, whose arguments are the first ones here and `on_epoch`. Everything else
    learns running text, in windows.

    Args:
        corpus: what to train on. Text: a path, or several; a file, a folder, a pattern, "-" for
            standard input, or a `Document`; the embedded stories unless given.
        preset: the shape, a preset's name or a config; "nano" unless given. Its `vocab_size`
            becomes the tokenizer's.
        recipe: a recipe or its name; the preset's own unless given.
        seed: decides the fresh weights, the order of the windows and what dropout leaves out.
        dtype: "float32" or "float64"; with PyTorch also "bfloat16", for matrix products alone.
        out: a folder to keep the run in. Without one nothing is saved.
        on_epoch: for sentences, called with each `Epoch`.
        resume: the folder of a run to go on with; of everything else only `steps`, `threads`,
            `engine` and what belongs to it, `corpus` (where the text is now) and the callbacks may
            be given.
        from_model: a model, or where it is, to train further on this text, with its tokenizer.
        encoding: of the files.
        threads: of matrix products; as many as NumPy has, unless given.
        engine: "numpy", or "torch" for GPUs and for several processes; "numpy" unless given.
        device: for PyTorch: "auto", "cpu", "cuda", "cuda:1" or "mps"; a GPU if there is one.
        compile: whether PyTorch compiles each block.
        checkpoint_activations: whether PyTorch works out a block's inside again on the way back
            instead of keeping it: less memory, a third more arithmetic.
        sharding: of the parameters among several processes, which torchrun starts: "none", "full"
            or "hybrid".
        film: keep the parameters at every so many steps, or at these: see `pellucid.film`. A
            training on sentences counts epochs.
        film_half: whether the film keeps them in 16 bits.
        on_preflight: called with the figures of the training before its first step.
        on_step: called with each `TrainingStep`.
        on_validation: called with each `Validation`.
        on_sample: called with a `Sample` of text at the same intervals.
        on_notice: called with a sentence about what was done or left out.
        stop: asked after each step whether it is to be the last. Ctrl-C stops a run like this too.
        options: see `TextOptions`: they change the preset and the recipe.

    Raises:
        PellucidError: an option does not fit, the text cannot be read or is too short, the folder
            cannot be written, or a number stops being finite.
    """
    options = given_options(options)
    if threads is not None:
        check_count("threads", threads, 1)
    listeners = Listeners(
        on_preflight=on_preflight or ignore,
        on_step=on_step or ignore,
        on_validation=on_validation or ignore,
        on_sample=on_sample,
        on_notice=on_notice or ignore,
        stop=stop or bool,
    )
    how = {
        "engine": engine,
        "device": device,
        "compile": compile,
        "checkpoint_activations": checkpoint_activations,
        "sharding": sharding,
    }
    if resume is not None:
        refuse("resume", preset=preset, recipe=recipe, from_model=from_model, out=out)
        refuse("resume", film=film, film_half=film_half or None)
        steps = options.pop("steps", None)
        refuse("resume", **options)
        began = {"seed": (seed, 0), "dtype": (dtype, "float32"), "encoding": (encoding, "utf-8")}
        refuse("resume", **{name: v for name, (v, default) in began.items() if v != default})
        return resume_text(
            resume, corpus=corpus, steps=steps, threads=threads, how=how, listeners=listeners
        )
    plan = FilmPlan.of(film, half=film_half)
    if from_model is None and learns_sentences(preset, recipe):
        refuse("sentences", **options, **how, dtype=dtype if dtype == "bfloat16" else None)
        return train_sentences(
            corpus,
            preset=preset or BABY_GROOT,
            recipe=cast("str | Recipe | None", recipe),
            seed=seed,
            encoding=encoding,
            dtype=dtype,
            out=out,
            film=plan,
            on_epoch=on_epoch,
        )
    if isinstance(recipe, Recipe):
        raise PellucidError("from_model trains on running text: give a TextRecipe.")
    dtype, execution = settled(dtype, how)
    return train_text(
        corpus,
        preset=preset,
        recipe=recipe,
        seed=check_seed(seed),
        dtype=dtype,
        out=out,
        from_model=from_model,
        encoding=encoding,
        threads=threads,
        film=plan,
        execution=execution,
        listeners=listeners,
        options=cast("TextOptions", options),
    )


def learns_sentences(
    preset: str | ModelConfig | None, recipe: str | Recipe | TextRecipe | None
) -> bool:
    """Whether a training goes sentence by sentence: the recipe says so, or else the preset."""
    if recipe is None:
        return preset == BABY_GROOT
    return isinstance(recipe, Recipe) or recipe in RECIPES


def refuse(why: str, **given: Any) -> None:
    """Raise `PellucidError` for the first option that is given and means nothing here."""
    for name, value in given.items():
        if value is not None:
            raise PellucidError(REFUSALS[why].format(name=name, value=value))


REFUSALS = {
    "resume": (
        "{name}={value} does not go with resume: a run goes on as it began. Leave it out, or "
        "train anew with from_model."
    ),
    "sentences": (
        "{name}={value} is for training on running text, and this preset or recipe learns "
        'sentences. Leave it out, or give preset="nano".'
    ),
}
