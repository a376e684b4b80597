"""Models that other programs wrote: recognised here, read by `interop`, which is asked by name.

What reads them stands above this folder and is imported when such a model is opened, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pellucid.model.model import Model

Read = Callable[..., "Model"]


class Described(msgspec.Struct):
    """The one field by which a `config.json` of `transformers` is known."""

    model_type: Any = msgspec.UNSET


def foreign_reader(source: Path) -> Read | None:
    """What opens a model that another program wrote, with the arguments of `load`.

    None for one of our own, and for what is no model at all.
    """
    for recognises, home in READERS:
        if recognises(source):
            read: Read = import_module(home).read
            return read
    return None


def is_hugging_face(source: Path) -> bool:
    """Whether it is a folder whose `config.json` names a `model_type`, as ours does not."""
    try:
        described = msgspec.json.decode((source / "config.json").read_bytes(), type=Described)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return described.model_type is not msgspec.UNSET


READERS: tuple[tuple[Callable[[Path], bool], str], ...] = (
    (is_hugging_face, "pellucid.interop.huggingface.folder"),
)
