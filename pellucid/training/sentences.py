"""From a corpus of sentences to a model that has learned every word of each from those before."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from time import perf_counter

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import FlatParameters
from pellucid.decoder.presets import preset as preset_config
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.batches import NO_TARGET, Ids, Pairs, training_pairs
from pellucid.text.corpora import GROOT, read_sentences
from pellucid.text.statistics import conditional_entropy
from pellucid.text.tokenizer import Tokenizer
from pellucid.training.epoch_film import EpochFilm
from pellucid.training.film_plan import FilmPlan
from pellucid.training.loop import OnEpoch, Trainer
from pellucid.training.recipes import Recipe, default_recipe
from pellucid.training.recipes import recipe as recipe_named
from pellucid.training.run import TrainingRun

Sentences = str | PathLike[str] | Iterable[str]

LONGEST_SENTENCE = 512
MOST_IDS = 20_000_000
"""In all padded contexts together: 160 MB."""


def train_sentences(
    corpus: Sentences | None = None,
    *,
    preset: str | ModelConfig = "baby-groot",
    recipe: str | Recipe | None = None,
    seed: int = 0,
    dtype: str = "float32",
    encoding: str = "utf-8",
    out: str | PathLike[str] | None = None,
    film: FilmPlan | None = None,
    on_epoch: OnEpoch | None = None,
) -> TrainingRun:
    """Train a fresh model on the training pairs of a corpus, word by word.

    Args:
        corpus: the path of a file with a sentence on each line, or the sentences themselves;
            the 19 embedded ones unless given.
        preset: the shape, a preset's name or a config. Its `vocab_size` becomes the corpus's, its
            `block_size` as long as the longest sentence needs.
        recipe: a recipe or its name; the default recipe, fitted to the width, unless given.
        seed: decides the fresh weights and the order of the batches, and so every number.
        dtype: "float32" or "float64".
        encoding: of the file.
        out: a folder to save the run in.
        film: after which epochs to keep the parameters.
        on_epoch: called with each `Epoch` as it ends.

    Raises:
        PellucidError: the corpus is empty, unreadable or too long; a name is unknown; the folder
            cannot be written; the loss stops being finite.
    """
    started = perf_counter()
    shape = preset_config(preset) if isinstance(preset, str) else preset
    chosen = recipe_named(recipe) if isinstance(recipe, str) else recipe or default_recipe(shape)
    sentences = read_corpus(corpus, encoding)
    tokenizer = Tokenizer.words(sentences)
    pairs = pairs_of(tokenizer, sentences)
    config = shape.replace(vocab_size=tokenizer.vocab_size, block_size=pairs.contexts.shape[1])
    fresh = Model.from_config(
        config, tokenizer, seed=check_seed(seed), dtype=dtype, scheme=chosen.initialisation
    )
    if out is not None:
        make_folder(Path(out))
    # A model never changes: its parameters are copied before they are trained.
    parameters = FlatParameters.copy_of(fresh.parameters, fresh.specs)
    trainer = Trainer(
        fresh.graph, parameters, pairs.contexts, targets_in_place(pairs), recipe=chosen, seed=seed
    )
    reel = None if film is None else EpochFilm(film, parameters, chosen.epochs)
    history = trainer.run(on_epoch if reel is None else reel.after_each(on_epoch))
    run = TrainingRun(
        model=Model(config, parameters, tokenizer),
        loss=trainer.loss(),
        floor=conditional_entropy(pairs),
        recipe=chosen,
        seed=seed,
        seconds=perf_counter() - started,
        history=history,
        frames=None if reel is None else reel.frames(),
    )
    if out is not None:
        run.save(out)
    return run


def check_seed(seed: int) -> int:
    """Return `seed`; raises `PellucidError` unless it is a whole number from 0 up."""
    if not isinstance(seed, int) or seed < 0:
        raise PellucidError(f"seed={seed!r} must be a whole number, at least 0.")
    return seed


def make_folder(folder: Path) -> None:
    """Make the folder: before the training, so that none is lost for want of a place."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise PellucidError(f"{folder} is a file; give a folder to save the run in.") from None
    except OSError as error:
        raise PellucidError(f"{folder} cannot be made: {error.strerror}.") from None


def read_corpus(corpus: Sentences | None, encoding: str = "utf-8") -> tuple[str, ...]:
    """The sentences of a corpus, of a file in this encoding; blank ones are dropped.

    Raises:
        PellucidError: there are none, one is not text, or the file cannot be read.
    """
    if corpus is None:
        return GROOT
    if isinstance(corpus, str | PathLike):
        return read_sentences(corpus, encoding)
    sentences = tuple(corpus)
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, str):
            raise PellucidError(
                f"Sentence {number} of the corpus is {sentence!r}, not text: "
                f"give a path or a list of sentences."
            )
    spoken = tuple(sentence for sentence in sentences if sentence.strip())
    if not spoken:
        raise PellucidError(
            f"The corpus is empty: none of its {len(sentences)} sentences has a word. "
            f"Give at least one."
        )
    return spoken


def pairs_of(tokenizer: Tokenizer, sentences: tuple[str, ...]) -> Pairs:
    """Every prefix of every sentence with the word that follows it.

    Raises:
        PellucidError: a sentence is too long for that, or all of them together are.
    """
    sequences = tokenizer.sequences(sentences)
    contexts = [len(ids) - 1 for ids in sequences]
    longest = max(contexts)
    if longest > LONGEST_SENTENCE:
        raise PellucidError(
            f"Sentence {contexts.index(longest) + 1} makes a context of {longest:,} words, and "
            f"{LONGEST_SENTENCE} is the most: break its line into shorter ones."
        )
    if sum(contexts) * longest > MOST_IDS:
        raise PellucidError(
            f"The corpus makes {sum(contexts):,} training pairs of up to {longest} words, "
            f"{sum(contexts) * longest:,} ids where {MOST_IDS:,} is the most: "
            f"give fewer sentences or shorter ones."
        )
    assert tokenizer.pad_id is not None  # A word tokenizer has one.
    return training_pairs(sequences, pad_id=tokenizer.pad_id)


def targets_in_place(pairs: Pairs) -> Ids:
    """Targets [pair, position]: each at the last real token of its context, −1 everywhere else."""
    targets = np.full(pairs.contexts.shape, NO_TARGET, dtype=np.int64)
    targets[np.arange(len(pairs)), pairs.lengths - 1] = pairs.targets
    return targets
