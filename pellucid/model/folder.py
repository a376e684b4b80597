"""A model on disk: a folder of `config.json`, `model.safetensors` and `tokenizer.json`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.presets import PRESETS
from pellucid.errors import PellucidError, did_you_mean
from pellucid.files import write_whole
from pellucid.model.foreign import PACKAGES, PUBLISHED, foreign_reader, installed, is_gguf
from pellucid.text.tokenizer_folder import load_tokenizer, save_tokenizer

if TYPE_CHECKING:
    from pellucid.model.model import Model
    from pellucid.ops.operation import Array

SHIPPED = Path(__file__).parent / "presets"
CHECKPOINTS = (".pt", ".pth", ".ckpt", ".bin")
CONFIG, WEIGHTS = "config.json", "model.safetensors"


def load(source: str | Path, *, dtype: str | None = None, widen: str | None = None) -> Model:
    """A model from a folder, of ours or of Hugging Face, a GGUF file, or by its name.

    Args:
        source: the path of a folder or of a `.gguf` file; the name of a preset that comes with
            weights, or of a model that an installed package brings (`smollm2`).
        dtype: "float32" or "float64"; as stored unless given, 16 bits as float32.
        widen: whether weights of 16 bits are made float32 "once", now, or each time "on use", in
            half the memory; once unless given. Folders of ours have none.

    Raises:
        PellucidError: there is no such preset or folder, the preset has no weights here, or a file
            is missing, damaged or of another shape.
    """
    from pellucid.model.model import Model, check_dtype

    check_dtype(dtype)
    folder = find(source)
    read = foreign_reader(folder)
    if read is not None:
        return read(folder, dtype=dtype, widen=widen)
    if widen is not None:
        raise PellucidError(f"{source} has no weights of 16 bits to widen: leave widen out.")
    config = read_config(folder / CONFIG)
    arrays = read_weights(folder / WEIGHTS)
    tokenizer = load_tokenizer(folder)
    try:
        return Model(config, arrays, tokenizer, dtype=dtype)
    except PellucidError as error:
        raise PellucidError(f"{folder / WEIGHTS}: {error}") from None


def find(source: str | Path) -> Path:
    """The folder or file that a name or a path stands for; a folder wins over a name."""
    folder = Path(source)
    try:
        is_folder, is_there = folder.is_dir(), folder.exists()
    except OSError as error:
        raise PellucidError(f"{source} cannot be read: {error.strerror}.") from None
    if is_folder:
        return folder
    if is_gguf(folder):
        return folder
    if is_there and folder.suffix in CHECKPOINTS:
        raise PellucidError(
            f"{source} is a checkpoint of torch: pellucid import {source} OUT makes a model of it."
        )
    if is_there:
        raise PellucidError(f"{source} is a file; a model is a folder with {CONFIG} and {WEIGHTS}.")
    shipped = SHIPPED / str(source)
    if str(source) in PRESETS and shipped.is_dir():
        return shipped
    if str(source) in PRESETS:
        raise PellucidError(
            f'"{source}" is a shape without weights here: '
            f"use Model.from_config(preset(…)) or --random SEED for fresh ones."
            + (f" pellucid import {source} OUT brings its own." if str(source) in PUBLISHED else "")
        )
    if (file := installed(str(source))) is not None:
        return file
    with_weights = sorted([*PACKAGES, *(path.name for path in SHIPPED.glob("*/"))])
    near = did_you_mean(str(source), with_weights)
    raise PellucidError(
        f'There is no model "{source}": neither a folder nor a preset with weights '
        f"({', '.join(with_weights)}).{near}"
    )


def read_config(path: Path) -> ModelConfig:
    """The config in a `config.json`."""
    fields = msgspec_json(path)
    if not isinstance(fields, dict):
        raise PellucidError(f"{path} does not hold a model config.")
    try:
        return ModelConfig.from_dict(fields)
    except PellucidError as error:
        raise PellucidError(f"{path}: {error}") from None


def msgspec_json(path: Path) -> Any:
    """What a JSON file holds."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except FileNotFoundError:
        raise PellucidError(f"{path} is missing: this folder is not a model.") from None
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PellucidError(f"{path} is not JSON: {error}.") from None


def read_shape(folder: Path) -> tuple[ModelConfig, str]:
    """The config of a folder's model, and the precision that holds its weights.

    The weights' shapes are held against the config; their numbers are left alone.

    Raises:
        PellucidError: as `load`.
    """
    from pellucid.decoder.architecture import build_graph
    from pellucid.decoder.parameters import check_parameters, parameter_specs
    from pellucid.model.model import widest

    config = read_config(folder / CONFIG)
    arrays = outline(folder / WEIGHTS)
    check_parameters(parameter_specs(build_graph(config)), arrays)
    return config, widest(arrays.values())


def outline(path: Path) -> dict[str, Any]:
    """Zeros in the shape and the type of each array of a safetensors file; they take no memory."""
    import numpy as np
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        raise PellucidError(f"{path} is missing: this folder has no weights.")
    types: dict[str, Any] = {"F16": np.float16, "F32": np.float32, "F64": np.float64}
    try:
        with safe_open(path, "numpy") as file:
            slices = {name: file.get_slice(name) for name in [*file.keys()]}
            return {
                name: np.broadcast_to(types[part.get_dtype()](0), part.get_shape())
                for name, part in slices.items()
            }
    except (SafetensorError, OSError, KeyError) as error:
        raise PellucidError(f"{path} is damaged or not safetensors: {error}.") from None


def read_weights(path: Path) -> dict[str, Any]:
    """The arrays of a safetensors file."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.exists():
        raise PellucidError(f"{path} is missing: this folder has no weights.")
    try:
        return load_file(path)
    except (SafetensorError, OSError, KeyError) as error:
        raise PellucidError(f"{path} is damaged or not safetensors: {error}.") from None


def write_weights(
    arrays: Mapping[str, Array], path: Path, *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write arrays as a safetensors file, and beside them what `metadata` says.

    Raises:
        OSError: it cannot be written.
    """
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    # The library writes memory as it lies, and so would turn a transposed view round.
    rows = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    try:
        save_file(rows, path, metadata=None if metadata is None else dict(metadata))
    except SafetensorError as error:
        # The library hides what the system said in words of its own.
        said = re.search(r"os error (\d+)", str(error))
        if said is None:
            raise
        raise OSError(int(said[1]), os.strerror(int(said[1])), str(path)) from None


def save(model: Model, folder: str | Path) -> Path:
    """Write a model's folder; each file is whole before it takes its name.

    Raises:
        PellucidError: the folder cannot be made or written.
    """
    folder = Path(folder)
    try:
        write_model(model, folder)
    except OSError as error:
        raise PellucidError(f"{folder} cannot be written: {error.strerror or error}.") from None
    return folder


def write_model(model: Model, folder: Path) -> None:
    """Do what `save` does.

    Raises:
        OSError: as the system says it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / WEIGHTS, partial(write_weights, model.parameters))
    write_description(model, folder)


def write_description(model: Model, folder: Path) -> None:
    """Write all but the weights.

    Raises:
        OSError: as the system says it.
    """
    config = msgspec.json.format(msgspec.json.encode(model.config))
    folder.mkdir(parents=True, exist_ok=True)
    save_tokenizer(model.tokenizer, folder)
    write_whole(folder / CONFIG, lambda path: path.write_bytes(config + b"\n"))
