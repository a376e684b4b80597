"""A model as a folder that `transformers` opens: `config.json`, safetensors and a tokenizer."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from shutil import rmtree

from pellucid.errors import PellucidError
from pellucid.interop.huggingface.export_config import Home, find_home
from pellucid.interop.huggingface.export_tokenizer import families_with_another, write_tokenizer
from pellucid.interop.huggingface.export_weights import (
    MOST_BYTES,
    stored_arrays,
    write_files,
    write_json,
)
from pellucid.interop.importing import check_target
from pellucid.model.folder import CONFIG
from pellucid.model.model import Model
from pellucid.text.special_tokens import SpecialTokens

GENERATION = "generation_config.json"


def export(
    model: Model, folder: str | Path, *, family: str | None = None, most_bytes: int = MOST_BYTES
) -> Home:
    """Write a folder that `transformers` opens as the same model; say as which family.

    The folder takes its name when everything is in it. Weights are written in the model's own
    precision, a tied head once. A special token that is spelled in a text is text here, and in
    `transformers` the special token.

    Args:
        model: of an architecture that a family of `transformers` has.
        folder: to make; where it exists it must be empty.
        family: a `model_type` such as "llama"; unless given the first that has the architecture.
        most_bytes: what is more in weights is divided among several files.

    Raises:
        PellucidError: no family has the architecture, and which fields the nearest lacks; or the
            folder has something in it, or cannot be written.
    """
    unfit = families_with_another(model.tokenizer)
    if family in unfit:
        raise PellucidError(
            f"transformers makes the tokenizer of every {family} as that of {family} itself, and "
            f"this model's is another: choose another family, or leave it to be found."
        )
    home = find_home(model.config, family, without=unfit)
    check_target(Path(folder))
    folder = Path(folder).resolve()
    draft = folder.with_name(f".{folder.name}.{token_hex(4)}.draft")
    try:
        draft.mkdir(parents=True)
        try:
            write_folder(model, home, draft, most_bytes)
            if folder.exists():
                # It is empty; not every system lets another take its name all the same.
                folder.rmdir()
            draft.rename(folder)
        finally:
            rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise PellucidError(f"{folder} cannot be written: {error.strerror or error}.") from None
    return home


def write_folder(model: Model, home: Home, folder: Path, most_bytes: int) -> None:
    """Write everything into a folder that is there.

    Raises:
        OSError: as the system says it.
    """
    write_files(stored_arrays(home, model.parameters), folder, most_bytes=most_bytes)
    special = SpecialTokens() if model.tokenizer is None else model.tokenizer.special
    # Named even where there is none: else texts end at whatever token has the family's usual id.
    ids = {"bos_token_id": special.start, "pad_token_id": special.pad}
    fields = {
        "architectures": list(home.family.classes),
        "model_type": home.name,
        **home.fields,
        **ids,
        "eos_token_id": special.end,
        "dtype": model.dtype,
    }
    write_json(fields, folder / CONFIG)
    write_json({**ids, "eos_token_id": list(special.stops) or None}, folder / GENERATION)
    if model.tokenizer is not None:
        write_tokenizer(model.tokenizer, folder, block_size=model.config.block_size)
