"""The format of a token file: a header that says what is in it, and ids of 16 or 32 bits.

It is a safetensors file (https://github.com/huggingface/safetensors) with one tensor, `ids`.
"""

from pathlib import Path
from typing import IO, Any, Literal
from zlib import crc32

import msgspec
import numpy as np
import numpy.typing as npt

from pellucid.errors import PellucidError
from pellucid.text.mapped import Run
from pellucid.text.measure import Measure

HEADER_SIZE = 1024
"""Bytes, with the eight that say how long it is; the ids begin behind it."""

_Type = Literal["U16", "U32"]
_DTYPES: dict[_Type, np.dtype[Any]] = {"U16": np.dtype("<u2"), "U32": np.dtype("<u4")}
_BLOCK = 1 << 20


class Description(Measure, frozen=True, kw_only=True):
    """What a token file was made from, the digest of its tokenizer, and a checksum of its ids."""

    tokenizer: str
    crc32: int


class _Tensor(msgspec.Struct, frozen=True):
    dtype: _Type
    shape: tuple[int]
    data_offsets: tuple[int, int]


class _Header(msgspec.Struct, frozen=True):
    ids: _Tensor
    metadata: Description = msgspec.field(name="__metadata__")


class IdWriter:
    """Writes ids to a binary file as they come; `finish` puts the header before them.

    They take 16 bits each where every id below `vocab_size` fits, or else 32.
    """

    def __init__(self, file: IO[bytes], *, vocab_size: int) -> None:
        self._file = file
        self._type: _Type = "U16" if vocab_size <= 1 << 16 else "U32"
        self.n_ids = 0
        self.crc32 = 0
        file.write(bytes(HEADER_SIZE))

    def write(self, ids: npt.ArrayLike) -> None:
        """Append `ids` [position]."""
        block = np.asarray(ids, dtype=_DTYPES[self._type])
        self._file.write(block.data)
        self.crc32 = crc32(block.data, self.crc32)
        self.n_ids += len(block)

    def finish(self, measured: Measure, *, tokenizer: str) -> None:
        """Write the header, without which the file is none."""
        width = _DTYPES[self._type].itemsize
        said = msgspec.structs.asdict(measured) | {"tokenizer": tokenizer, "crc32": self.crc32}
        header = {
            # The format has strings alone as metadata.
            "__metadata__": {key: str(value) for key, value in said.items()},
            "ids": _Tensor(self._type, (self.n_ids,), (0, self.n_ids * width)),
        }
        length = HEADER_SIZE - 8
        self._file.seek(0)
        self._file.write(length.to_bytes(8, "little") + msgspec.json.encode(header).ljust(length))


def open_ids(path: Path) -> tuple[Run, Description]:
    """Return the ids of a token file, mapped and read-only, and what it says of itself.

    Raises `PellucidError` when there is no such file, or when it is not as `IdWriter` left it.
    """
    try:
        with path.open("rb") as file:
            header = msgspec.json.decode(file.read(HEADER_SIZE)[8:], type=_Header, strict=False)
            size = checksum = 0
            while block := file.read(_BLOCK):
                size += len(block)
                checksum = crc32(block, checksum)
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _damaged(path) from None
    dtype, shape = _DTYPES[header.ids.dtype], header.ids.shape
    if checksum != header.metadata.crc32 or size != shape[0] * dtype.itemsize:
        raise _damaged(path)
    return np.memmap(path, dtype, mode="r", offset=HEADER_SIZE, shape=shape), header.metadata


def _damaged(path: Path) -> PellucidError:
    return PellucidError(f"{path} is damaged: delete it, and it is made anew.")
