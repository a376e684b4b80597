"""Files of arrays that another program wrote, `.npz` and `.safetensors`, read by name."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file by name.

    Raises:
        PellucidError: the file is of neither kind, is damaged, or would need pickle to be read.
    """
    if path.suffix not in READERS:
        raise PellucidError(
            f"{path} is neither a model's folder nor a file of arrays: {' or '.join(READERS)}."
        )
    return READERS[path.suffix](path)


def read_npz(path: Path) -> dict[str, Array]:
    """What `numpy.savez` wrote."""
    try:
        # NumPy would leave a file open that it opened itself and could not read.
        with path.open("rb") as file:
            stored = np.load(file, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise PellucidError(f"{path} holds one array without a name: use numpy.savez.")
            return {name: stored[name] for name in stored.files}
    # zipfile has a RuntimeError for what it cannot unpack: other methods, passwords.
    except (BadZipFile, OSError, EOFError, RuntimeError, zlib.error) as error:
        raise PellucidError(f"{path} is damaged or not an .npz file: {error}.") from None
    except PellucidError:
        raise
    except ValueError as error:
        raise PellucidError(f"{path} holds more than plain arrays of numbers: {error}") from None


def read_safetensors(path: Path) -> dict[str, Array]:
    """What `safetensors` wrote, of the types that NumPy has."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise PellucidError(f"{path} is damaged or not safetensors: {error}.") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise PellucidError(
            f"{path} holds numbers that NumPy does not have ({error}): write float32 or float64."
        ) from None


def metadata(path: Path) -> dict[str, str]:
    """What a `.safetensors` file says beside its arrays.

    Raises:
        PellucidError: the file is damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise PellucidError(f"{path} is damaged or not safetensors: {error}.") from None


READERS: dict[str, Callable[[Path], dict[str, Array]]] = {
    ".npz": read_npz,
    ".safetensors": read_safetensors,
}
