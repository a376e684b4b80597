"""Preparation: everything that a training on text starts from, read, checked and cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypedDict

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.presets import preset as preset_config
from pellucid.errors import PellucidError, did_you_mean
from pellucid.model.folder import load
from pellucid.model.model import Model
from pellucid.text.choice import tokenizer_for
from pellucid.text.corpora import stories
from pellucid.text.documents import Document
from pellucid.text.mapped import Run
from pellucid.text.reading import STANDARD_INPUT, read_documents
from pellucid.text.token_file import TokenFile
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.windows import split
from pellucid.training.text_recipe import (
    Keep,
    TextRecipe,
    changed,
    default_text_recipe,
    text_recipe,
)

Source = str | PathLike[str] | Document
Corpus = Source | Iterable[Source]

SHAPE_OPTIONS = ("block_size", "n_layer", "n_head", "n_embd")
TOKENIZER_OPTIONS = ("tokenizer", "vocab_size")
BY_HEART = 20_000
"""Tokens to train on, below which fresh weights learn a text by heart or nothing of use. Such a
model does worse and worse on what is held out, though it writes better and better."""


class TextOptions(TypedDict, total=False):
    """Options of a training on text that change its preset or its recipe; see `TextRecipe`.

    None is as good as not given.
    """

    block_size: int | None
    """The context: how many tokens the model reads at once, and so the length of a window."""
    n_layer: int | None
    n_head: int | None
    n_embd: int | None
    tokenizer: str | PathLike[str] | None
    """"char", "word", "bpe" or the path of a `tokenizer.json`; "char" unless given."""
    vocab_size: int | None
    """For byte pairs."""
    steps: int | None
    batch_size: int | None
    accumulate: int | None
    learning_rate: float | None
    schedule: str | None
    warmup: int | None
    dropout: float | None
    clip: float | None
    weight_decay: float | None
    validation: float | None
    every: int | None
    keep: str | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Preparation:
    """What decides a training, and nothing that has happened in it."""

    start: Model
    """The model as it is before the first step, with its tokenizer."""
    recipe: TextRecipe
    seed: int
    block_size: int
    tokens: TokenFile
    training: Run
    """The ids to train on [position]."""
    validation: Run
    """Those held out [position]; none where the recipe says so."""
    sources: tuple[str, ...] | None
    """Where the text can be read again: none for the embedded one; None if it was handed over."""
    encoding: str

    @property
    def tokenizer(self) -> Tokenizer:
        return self.tokens.tokenizer


def prepare(
    corpus: Corpus | None,
    *,
    preset: str | ModelConfig | None = None,
    recipe: str | TextRecipe | None = None,
    from_model: str | PathLike[str] | Model | None = None,
    seed: int = 0,
    dtype: str = "float32",
    encoding: str = "utf-8",
    on_notice: Callable[[str], object] | None = None,
    options: TextOptions,
) -> Preparation:
    """Read the text, make the tokenizer and the model, and cut the tokens into windows.

    Raises:
        PellucidError: the text cannot be read or is too short, an option does not fit.
    """
    chosen = given_options(options)
    shape = {name: chosen.pop(name) for name in SHAPE_OPTIONS if name in chosen}
    wording = {name: chosen.pop(name) for name in TOKENIZER_OPTIONS if name in chosen}
    preset = preset or "nano"
    base = text_recipe(recipe) if isinstance(recipe, str) else recipe
    settled = changed(base or default_text_recipe(preset), **chosen)
    documents, sources = documents_of(corpus, encoding=encoding, on_notice=on_notice)
    if from_model is not None:
        start = model_to_go_on_with(from_model, shape | wording, dtype=dtype)
        assert start.tokenizer is not None
        tokenizer = start.tokenizer
    else:
        tokenizer = tokenizer_for(wording.pop("tokenizer", "char"), documents, **wording)
        config = preset_config(preset) if isinstance(preset, str) else preset
        config = config.replace(**{**shape, "vocab_size": tokenizer.vocab_size})
        start = Model.from_config(
            config, tokenizer, seed=seed, dtype=dtype, scheme=settled.initialisation
        )
    if not tokenizer.keeps_white_space and on_notice is not None:
        on_notice("Words alone are kept of the text, not its white space: a line end is a space.")
    tokens = TokenFile.of(documents, tokenizer)
    block_size = start.config.block_size
    training, validation = split(tokens.ids, settled.validation, block_size=block_size)
    keep = settled.keep or keep_of(training, fresh=from_model is None)
    return Preparation(
        start=start,
        recipe=changed(settled, warmup=settled.warmup, keep=keep),
        seed=seed,
        block_size=block_size,
        tokens=tokens,
        training=training,
        validation=validation,
        sources=sources,
        encoding=encoding,
    )


def keep_of(training: Run, *, fresh: bool) -> Keep:
    """Which model of a training on these ids is worth having.

    A model that knew more before than the text can teach it is not to become worse.
    """
    return "last" if fresh and len(training) < BY_HEART else "best"


def given_options(options: Mapping[str, object]) -> dict[str, Any]:
    """The options that are not None.

    Raises:
        PellucidError: one is unknown.
    """
    known = TextOptions.__annotations__
    for name in options:
        if name not in known:
            near = did_you_mean(name, known) or f" There are {', '.join(known)}."
            raise PellucidError(f'Training has no option "{name}".{near}')
    return {name: value for name, value in options.items() if value is not None}


def documents_of(
    corpus: Corpus | None,
    *,
    encoding: str = "utf-8",
    on_notice: Callable[[str], object] | None = None,
) -> tuple[Sequence[Document], tuple[str, ...] | None]:
    """The documents of a corpus, and where it can be read again: absolute paths, none of them for
    the embedded one; None where it cannot.

    Raises:
        PellucidError: a source is not there or cannot be read.
    """
    if corpus is None:
        return stories(), ()
    given = [corpus] if isinstance(corpus, str | PathLike | Document) else list(corpus)
    documents: list[Document] = []
    paths: list[str] = []
    for each in given:
        if isinstance(each, Document):
            documents.append(each)
            continue
        documents += read_documents(each, encoding=encoding, on_notice=on_notice)
        if fspath(each) != STANDARD_INPUT:
            paths.append(str(Path(each).absolute()))
    return documents, tuple(paths) if len(paths) == len(given) else None


def model_to_go_on_with(
    source: str | PathLike[str] | Model, options: dict[str, Any], *, dtype: str
) -> Model:
    """The model that is trained further, in the precision to train in.

    Raises:
        PellucidError: it cannot be loaded, has no tokenizer, or an option would change its shape.
    """
    if options:
        name, value = next(iter(options.items()))
        raise PellucidError(
            f"{name}={value} does not go with from_model: the model has its own shape and "
            "tokenizer. Leave it out."
        )
    model = source if isinstance(source, Model) else load(fspath(source))
    if model.tokenizer is None:
        raise PellucidError(f"{source} has no tokenizer, so no text can be read for it.")
    return model.astype(dtype)
