"""A GGUF file opened as a model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.interop.gguf.architectures import read_description
from pellucid.interop.gguf.arrays import GgufArrays
from pellucid.interop.gguf.header import Header, read_header
from pellucid.interop.gguf.tokenizer import tokenizer_in
from pellucid.interop.gguf.words import TABLES
from pellucid.interop.huggingface.folder import check_widening, made_ready
from pellucid.interop.huggingface.reading import read_parameters
from pellucid.model.model import Model, check_dtype, widest
from pellucid.text.tokenizer import Tokenizer


def read(path: str | Path, *, dtype: str | None = None, widen: str | None = None) -> Model:
    """The model in a GGUF file.

    Quantised arrays are made float32; those of 32 bits stay in the file, which must stay as it is.

    Args:
        path: of the file.
        dtype: "float32" or "float64"; unless given what holds the weights exactly.
        widen: what becomes of matrices of 16 bits, as for a Hugging Face folder.

    Raises:
        PellucidError: the file is damaged, of an architecture, a type or a tokenizer that is not
            read, or says something that is not honoured; or the library `gguf` is missing.
    """
    check_dtype(dtype)
    check_widening(widen, dtype)
    check_library()
    path = Path(path)
    header = read_header(path)
    arrays = GgufArrays(path, header.arrays)
    try:
        check_whole(header)
        tokenizer = tokenizer_in(header.fields)
        config, layout = read_description(header.fields, arrays)
        parameters = read_parameters(layout, config, arrays.without(TABLES))
        ready = {name: made_ready(array, widen) for name, array in parameters.items()}
        return Model(config, ready, tokenizer, dtype=dtype, copy=False)
    except PellucidError as error:
        raise PellucidError(f"{path}: {error}") from None


def read_shape(path: str | Path) -> tuple[ModelConfig, str]:
    """The config of the model in a GGUF file, and the precision that holds its weights.

    The weights' shapes are held against the config; their numbers are left alone.

    Raises:
        PellucidError: as `read`.
    """
    check_library()
    path = Path(path)
    header = read_header(path)
    arrays = GgufArrays(path, header.arrays)
    try:
        check_whole(header)
        config, layout = read_description(header.fields, arrays)
        return config, widest(read_parameters(layout, config, arrays.outline(TABLES)).values())
    except PellucidError as error:
        raise PellucidError(f"{path}: {error}") from None


def read_tokenizer(path: str | Path) -> Tokenizer | None:
    """The tokenizer in a GGUF file, its weights left alone; None where it has none.

    Raises:
        PellucidError: the file is damaged, or the tokenizer of a kind that is not read.
    """
    path = Path(path)
    header = read_header(path)
    try:
        return tokenizer_in(header.fields)
    except PellucidError as error:
        raise PellucidError(f"{path}: {error}") from None


def check_library() -> None:
    """Say how to bring what dequantises."""
    if find_spec("gguf") is None:
        raise PellucidError(
            "GGUF files are read with the library gguf, which is missing: "
            "pip install 'pellucid[gguf]' brings it."
        )


def check_whole(header: Header) -> None:
    """Refuse a part of a model."""
    parts = header.fields.get("split.count", 0)
    if isinstance(parts, int) and parts > 1:
        raise PellucidError(
            f"this is one of {parts} parts of a model; put them together first "
            f"(llama-gguf-split --merge)."
        )
