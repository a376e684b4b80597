"""What `pellucid import` opens: all that `load` does, checkpoints of torch, models by name."""

from __future__ import annotations

from pathlib import Path

from pellucid.decoder.presets import PRESETS
from pellucid.errors import PellucidError
from pellucid.model.folder import CHECKPOINTS, load
from pellucid.model.foreign import PACKAGES, PUBLISHED
from pellucid.model.model import Model


def read_source(
    source: str | Path, *, n_head: int | None = None, dtype: str | None = None
) -> Model:
    """Another program's model, whichever kind it is of.

    Args:
        source: a Hugging Face folder, a GGUF file, a checkpoint of nanoGPT or minGPT, or the name
            of a model on Hugging Face.
        n_head: how many heads a checkpoint has that does not say it.
        dtype: "float32" or "float64"; as stored unless given, 16 bits as float32.

    Raises:
        PellucidError: there is none, or something in it is not honoured.
    """
    path = Path(source)
    if path.suffix in CHECKPOINTS and path.is_file():
        from pellucid.interop.checkpoints import read

        return read(path, n_head=n_head, dtype=dtype)
    if n_head is not None:
        raise PellucidError("n_head is for a checkpoint that does not say how many heads it has.")
    return load(fetched(str(source)) or source, dtype=dtype)


def fetched(source: str) -> Path | None:
    """The folder of a model that has to be brought here first; None for what is here.

    Raises:
        PellucidError: it cannot be brought.
    """
    from pellucid.interop.hub import fetch, is_name

    ours = source in PACKAGES or (source in PRESETS and source not in PUBLISHED)
    is_here = ours or Path(source).exists()
    return fetch(source) if not is_here and is_name(source) else None


def check_target(folder: Path) -> None:
    """Refuse a folder that has something in it: it may be where the weights still are.

    Raises:
        PellucidError: it has, or is no folder.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise PellucidError(f"{folder} is there already: name a folder that is new or empty.")
