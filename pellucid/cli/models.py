"""What MODEL stands for on the command line: a preset's name or a folder, opened."""

from __future__ import annotations

from pathlib import Path

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.presets import PRESETS, preset
from pellucid.errors import PellucidError
from pellucid.model.folder import CONFIG, SHIPPED, find, load, read_config, read_shape
from pellucid.model.foreign import foreign_shape_reader, foreign_tokenizer_reader
from pellucid.model.model import Model, check_dtype
from pellucid.text.tokenizer import Tokenizer
from pellucid.text.tokenizer_folder import TOKENIZER, load_tokenizer

SCHEMES = {"lesson-3": "lesson-3"}
"""How a preset's fresh weights are drawn, where it is not as GPT-2 draws them."""


def open_model(
    source: str,
    *,
    random: int | None = None,
    dtype: str | None = None,
    engine: str = "numpy",
    device: str = "auto",
) -> Model:
    """A model with its stored weights, or with fresh ones drawn from the seed `random`.

    Raises:
        PellucidError: there is no such model, it has no weights here, or its files are damaged; or
            there is no such engine, device or dtype.
    """
    # Torch alone computes in 16 bits; the weights themselves stay what they are.
    stored = dtype if engine != "torch" or dtype in ("float32", "float64") else None
    model = weighted(source, random=random, dtype=stored)
    if engine == "numpy" and device == "auto":
        return model
    return model.using(engine, device=device, dtype=dtype)


def weighted(source: str, *, random: int | None, dtype: str | None) -> Model:
    """The same, run by NumPy."""
    if random is None:
        return load(source, dtype=dtype)
    if Path(source).is_dir():
        raise PellucidError(f"{source} has weights of its own: leave --random out.")
    return Model.from_config(
        preset(source),
        known_vocabulary(source),
        seed=random,
        dtype=dtype or "float32",
        scheme=SCHEMES.get(source, "gpt2"),
    )


def open_tokenizer(source: str) -> Tokenizer:
    """A model's tokenizer, its weights left alone.

    Raises:
        PellucidError: there is no such model, or it has no tokenizer.
    """
    if source in PRESETS and not Path(source).is_dir():
        known = known_vocabulary(source)
        if known is None:
            raise PellucidError(f'"{source}" is a shape without a vocabulary: give a folder.')
        return known
    found = find(source)
    tokenizer = (foreign_tokenizer_reader(found) or load_tokenizer)(found)
    if tokenizer is None:
        lacks = f"{found / TOKENIZER} is missing" if found.is_dir() else f"{found} has no tokenizer"
        raise PellucidError(f"{lacks}: this model reads ids, not text.")
    return tokenizer


def known_vocabulary(source: str) -> Tokenizer | None:
    """The tokenizer that comes with a preset, if one does."""
    return load_tokenizer(SHIPPED / source)


def open_config(source: str) -> ModelConfig:
    """A model's config, its weights left alone: there may be none.

    Raises:
        PellucidError: there is no such model, or its config is damaged.
    """
    if source in PRESETS and not Path(source).is_dir():
        return PRESETS[source]
    folder = find(source)
    read = foreign_shape_reader(folder)
    return read(folder)[0] if read else read_config(folder / CONFIG)


def open_shape(source: str, *, dtype: str | None = None) -> tuple[ModelConfig, str]:
    """A model's config and the precision of its weights. A preset's are not made for it.

    Raises:
        PellucidError: there is no such model, or its files are damaged.
    """
    if source in PRESETS and not Path(source).is_dir():
        return PRESETS[source], check_dtype(dtype) or "float32"
    found = find(source)
    config, stored = (foreign_shape_reader(found) or read_shape)(found)
    return config, check_dtype(dtype) or stored
