"""Arrays as tensors and back, on the same memory where that can be; devices and dtypes by name."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pellucid.errors import PellucidError
from pellucid.ops.operation import Array

DTYPES: dict[str, torch.dtype] = {
    "float32": torch.float32,
    "float64": torch.float64,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def find_device(name: str = "auto") -> torch.device:
    """A device by name; "auto" is a GPU where there is one (CUDA, then Apple's), else the CPU.

    Raises:
        PellucidError: there is no such device, here or at all.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if has_mps() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise PellucidError(f'There is no device "{name}": take auto, cpu, cuda or mps.') from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise PellucidError(
            f'There is no device "{name}": PyTorch sees {torch.cuda.device_count()} CUDA GPUs here.'
        )
    if device.type == "mps" and not has_mps():
        raise PellucidError('There is no device "mps": PyTorch sees no Apple GPU here.')
    if device.type not in ("cpu", "cuda", "mps"):
        raise PellucidError(f'The device "{name}" is none of cpu, cuda and mps.')
    return device


def has_mps() -> bool:
    """Whether PyTorch can use an Apple GPU."""
    return bool(torch.backends.mps.is_available())


def find_dtype(name: str, device: torch.device) -> torch.dtype:
    """A dtype by name.

    Raises:
        PellucidError: there is none of that name, or the device does not have it.
    """
    if name not in DTYPES:
        raise PellucidError(f"dtype={name!r} is not one of {', '.join(DTYPES)}.")
    if name == "float64" and device.type == "mps":
        raise PellucidError("Apple's GPUs have no float64: take dtype float32, or the device cpu.")
    return DTYPES[name]


def as_tensor(array: Array) -> Tensor:
    """A tensor on the array's memory; not to be written to if the array is not.

    Keys of 64 bits become int64 with the same bits: torch has little use for uint64.
    """
    given = np.ascontiguousarray(array.view(np.int64) if array.dtype == np.uint64 else array)
    if given.flags.writeable:
        return torch.from_numpy(given)
    with warnings.catch_warnings():
        # Nobody writes to what was given to be read.
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        return torch.from_numpy(given)


def as_array(tensor: Any) -> Array:
    """A tensor's numbers, on its memory if it lies on the CPU; those of 16 bits as float32."""
    plain = tensor.detach().cpu()
    if plain.is_floating_point() and plain.dtype.itemsize < 4:
        plain = plain.float()
    array: Array = plain.numpy()
    return array
