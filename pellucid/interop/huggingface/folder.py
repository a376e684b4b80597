"""A folder that `transformers` wrote, `config.json` and safetensors, opened as a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.family import Family
from pellucid.interop.huggingface.reading import read_parameters
from pellucid.interop.huggingface.settings import Settings
from pellucid.interop.huggingface.tokenizer import tokenizer_in
from pellucid.interop.huggingface.weights import FolderWeights
from pellucid.model.folder import CONFIG, msgspec_json
from pellucid.model.model import Model, check_dtype, widest
from pellucid.ops.half import HalfMatrix, is_half
from pellucid.ops.half import widen as widened
from pellucid.ops.operation import Array
from pellucid.text.tokenizer import Tokenizer

WIDENINGS = ("once", "on use")


def read(folder: str | Path, *, dtype: str | None = None, widen: str | None = None) -> Model:
    """The model in a Hugging Face folder.

    Weights stay in their file, mapped into memory, where they are of the precision that the model
    computes in. The file must stay as it is for as long.

    Args:
        folder: with `config.json`, `model.safetensors` (or an index and several), and where it
            reads text `tokenizer.json`.
        dtype: "float32" or "float64"; unless given what holds the weights exactly.
        widen: what becomes of matrices of 16 bits. "once" makes float32 of them here, unless
            given; "on use" leaves them in their file and does it anew for each product: half the
            memory, and slower for single rows.

    Raises:
        PellucidError: the family is unknown, a field or an array is not honoured, a file is missing
            or damaged, or something in the folder would have to be run.
    """
    check_dtype(dtype)
    check_widening(widen, dtype)
    folder = Path(folder)
    family, config = read_description(folder)
    weights = FolderWeights(folder)
    tokenizer = read_tokenizer(folder)
    try:
        parameters = read_parameters(family, config, weights)
        ready = {name: made_ready(array, widen) for name, array in parameters.items()}
        return Model(config, ready, tokenizer, dtype=dtype, copy=False)
    except PellucidError as error:
        raise PellucidError(f"{folder}: {error}") from None


def read_description(folder: Path) -> tuple[Family, ModelConfig]:
    """The family of a folder's model, and our config of it."""
    fields = read_fields(folder / CONFIG)
    try:
        family = find_family(fields)
        return family, read_config(family, fields)
    except PellucidError as error:
        raise PellucidError(f"{folder / CONFIG}: {error}") from None


def read_shape(folder: str | Path) -> tuple[ModelConfig, str]:
    """The config of a folder's model, and the precision that holds its weights.

    The weights' shapes are held against the config; their numbers are left alone.

    Raises:
        PellucidError: as `read`.
    """
    folder = Path(folder)
    family, config = read_description(folder)
    weights = FolderWeights(folder)
    try:
        return config, widest(read_parameters(family, config, weights).values())
    except PellucidError as error:
        raise PellucidError(f"{folder}: {error}") from None


def read_tokenizer(folder: str | Path) -> Tokenizer | None:
    """The tokenizer of a Hugging Face folder, its weights left alone; None where it has none.

    Raises:
        PellucidError: a file is damaged.
    """
    folder = Path(folder)
    return tokenizer_in(folder, read_fields(folder / CONFIG))


def check_widening(how: str | None, dtype: str | None) -> None:
    """Refuse a word that is unknown, and float64 on use."""
    if how not in (None, *WIDENINGS):
        raise PellucidError(f"widen={how!r} is neither of {', '.join(WIDENINGS)}.")
    if how == "on use" and dtype == "float64":
        raise PellucidError('widen="on use" makes float32 of 16 bits: leave dtype="float64" out.')


def made_ready(array: Array, how: str | None) -> Any:
    """What a model takes for an array as it is stored."""
    if how == "on use" and array.ndim == 2 and is_half(array):
        return HalfMatrix(array)
    return widened(array)


def read_fields(path: Path) -> dict[str, Any]:
    """What a `config.json` says."""
    fields = msgspec_json(path)
    if not isinstance(fields, dict):
        raise PellucidError(f"{path} does not hold a model config.")
    return fields


def find_family(fields: Mapping[str, Any]) -> Family:
    """The family that a `config.json` names.

    Raises:
        PellucidError: it names none that is known, or code of its own.
    """
    kind = fields.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        near = did_you_mean(kind, FAMILIES) or f" There are {', '.join(FAMILIES)}."
        raise PellucidError(f"model_type={kind!r} is a family that cannot be read.{near}")
    refuse_code(fields, FAMILIES[kind])
    return FAMILIES[kind]


def refuse_code(fields: Mapping[str, Any], family: Family) -> None:
    """Refuse a model that is defined by code in its folder.

    Some folders name copies of the very classes that `transformers` has: those are no other model.
    """
    named = fields.get("auto_map") or {}
    model = named.get("AutoModelForCausalLM", "") if isinstance(named, dict) else ""
    known = isinstance(model, str) and model.rpartition(".")[2] in family.classes
    if named and not known:
        raise PellucidError(
            "auto_map names code that defines this model; it is not run. Where the model is one of "
            "the known families all the same, take auto_map out of config.json."
        )


def read_config(family: Family, fields: Mapping[str, Any]) -> ModelConfig:
    """Our config of the fields of a `config.json`.

    Raises:
        PellucidError: a field is missing, or not honoured.
    """
    settings = Settings({family.aliases.get(name, name): value for name, value in fields.items()})
    settings.only("quantization_config")
    ours = family.config(settings)
    settings.done()
    return ModelConfig.from_dict(ours)
