"""Checkpoints of nanoGPT and minGPT: `.pt` files, of which tensors and plain values alone are read.

Karpathy, https://github.com/karpathy/nanoGPT and https://github.com/karpathy/minGPT. nanoGPT writes
how its model was made beside the weights; minGPT writes the weights, and a `config.json` next to
the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pellucid.decoder.config import ModelConfig
from pellucid.engine.find_torch import require_torch
from pellucid.errors import PellucidError
from pellucid.interop.huggingface.families.gpt2 import NAMES
from pellucid.interop.huggingface.family import Layout, fused
from pellucid.interop.huggingface.reading import read_parameters
from pellucid.model.folder import CONFIG, msgspec_json
from pellucid.model.model import Model, check_dtype
from pellucid.ops.operation import Array

COMPILED = "_orig_mod."
"""What `torch.compile` puts before every name."""
HEADS = {
    "openai-gpt": 12,
    "gpt2": 12,
    "gpt2-medium": 16,
    "gpt2-large": 20,
    "gpt2-xl": 25,
    "gopher-44m": 16,
    "gpt-mini": 6,
    "gpt-micro": 4,
    "gpt-nano": 3,
}
"""Of minGPT's models, whose `config.json` may have a name and no sizes."""
STACK = Layout(names={**NAMES, **fused("transformer.h.{i}.attn.c_attn")}, prefix="transformer.")


def read(path: str | Path, *, n_head: int | None = None, dtype: str | None = None) -> Model:
    """The model in a checkpoint; it has no tokenizer.

    Args:
        path: what `torch.save` wrote.
        n_head: how many heads it has, where that is written nowhere.
        dtype: "float32" or "float64"; as stored unless given, 16 bits as float32.

    Raises:
        PellucidError: PyTorch is not installed, the file is damaged or holds more than tensors and
            plain values, or what is in it is no GPT.
    """
    check_dtype(dtype)
    path = Path(path)
    stored = read_checkpoint(path)
    is_nano = isinstance(stored.get("model"), Mapping)
    arrays = as_arrays(path, stored["model"] if is_nano else stored)
    said = stored.get("model_args", {}) if is_nano else beside(path)
    try:
        config = config_of(arrays, said, n_head=n_head, is_nano=is_nano)
        return Model(config, read_parameters(STACK, config, arrays), dtype=dtype)
    except PellucidError as error:
        raise PellucidError(f"{path}: {error}") from None


def read_checkpoint(path: Path) -> Mapping[str, Any]:
    """What the file holds: tensors and plain values, or nothing at all."""
    require_torch()
    import pickle

    import torch

    try:
        stored = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
    except pickle.UnpicklingError as error:
        reason = str(error).strip().splitlines()[-1]
        raise PellucidError(
            f"{path} is damaged, or holds more than tensors, which could run code as it is read; "
            f"it is not opened. ({reason})"
        ) from None
    except Exception as error:  # A damaged file can end in nearly any error of the library.
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise PellucidError(f"{path} is damaged or no checkpoint of torch: {reason}") from None
    if not isinstance(stored, Mapping):
        raise PellucidError(f"{path} holds a {type(stored).__name__}, not a model's weights.")
    return stored


def as_arrays(path: Path, tensors: Mapping[Any, Any]) -> dict[str, Array]:
    """Tensors as arrays, by names without what a compiler put before them."""
    import torch

    from pellucid.engine.torch_tensors import as_array

    arrays = {}
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor):
            raise PellucidError(f"{path} holds {name!r}, which is no tensor of a model.")
        plain = name.removeprefix(COMPILED)
        arrays[plain] = as_array(tensor.float() if tensor.element_size() == 2 else tensor)
    return arrays


def beside(path: Path) -> Mapping[str, Any]:
    """The sizes in the `config.json` that minGPT writes next to its weights, if it is there."""
    config = path.parent / CONFIG
    fields = msgspec_json(config) if config.exists() else {}
    said = fields.get("model") if isinstance(fields, dict) else None
    return said if isinstance(said, dict) else {}


def config_of(
    arrays: Mapping[str, Array], said: Mapping[str, Any], *, n_head: int | None, is_nano: bool
) -> ModelConfig:
    """The config that the arrays show, and the number of heads, which they do not.

    Raises:
        PellucidError: there is no such number, or the arrays are no GPT's.
    """
    blocks = [re.match(r"transformer\.h\.(\d+)\.", name) for name in arrays]
    numbers = {int(found[1]) for found in blocks if found}
    tables = [arrays.get(f"transformer.{name}.weight") for name in ("wte", "wpe")]
    if not numbers or any(table is None or table.ndim != 2 for table in tables):
        raise PellucidError(
            "it has no transformer.wte, transformer.wpe and transformer.h.0: no GPT."
        )
    tokens, positions = (table for table in tables if table is not None)
    heads = n_head or said.get("n_head") or HEADS.get(str(said.get("model_type")))
    if not heads:
        raise PellucidError("how many heads it has is written nowhere: give n_head (--heads).")
    head = arrays.get("lm_head.weight")
    expansion = arrays.get("transformer.h.0.mlp.c_fc.weight")
    bias = "transformer.h.0.attn.c_attn.bias" in arrays
    fields = {
        "vocab_size": len(tokens),
        "block_size": len(positions),
        "n_layer": max(numbers) + 1,
        "n_head": heads,
        "n_embd": tokens.shape[1],
        "d_mlp": 0 if expansion is None else len(expansion),
        "activation": "gelu" if is_nano else "gelu_tanh",
        "attention_bias": bias,
        "attention_output_bias": bias,
        "mlp_bias": bias,
        "norm_bias": "transformer.ln_f.bias" in arrays,
        "tied_head": head is None or bool(head.shape == tokens.shape and (head == tokens).all()),
    }
    return ModelConfig.from_dict(fields)
