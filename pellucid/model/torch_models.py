"""Models as torch modules, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pellucid.engine.find_torch import require_torch
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pellucid.engine.torch_module import TorchDecoder


def to_torch(model: Model, *, device: str = "auto", dtype: str | None = None) -> TorchDecoder:
    """A module with a copy of a model's weights; see `Model.to_torch`."""
    require_torch()
    from pellucid.engine.torch_module import TorchDecoder

    return TorchDecoder(
        model.graph, model.parameters, config=model.config, device=device, dtype=dtype
    )


def from_torch(module: Any, tokenizer: Tokenizer | None = None) -> Model:
    """A model with a copy of a module's weights as they now stand.

    Args:
        module: from `Model.to_torch`, whatever was trained on it since; or wrapped round one, as
            DistributedDataParallel and torch.compile do.
        tokenizer: for the model.

    Returns:
        A float64 model where the weights are float64, else a float32 one: weights of 16 bits become
        float32 without loss.

    Raises:
        PellucidError: PyTorch is not installed, or the module is another.
    """
    require_torch()
    from pellucid.engine.torch_module import TorchDecoder
    from pellucid.engine.torch_tensors import as_array

    decoder = unwrapped(module)
    if not isinstance(decoder, TorchDecoder) or decoder.config is None:
        raise PellucidError(
            f"{type(decoder).__name__} is not a module that `Model.to_torch` made: give one of "
            f"those. To hold another module against a model, see `pellucid.capture`."
        )
    parameters = {name: as_array(tensor) for name, tensor in decoder.named_parameters()}
    return Model(decoder.config, parameters, tokenizer)


def unwrapped(module: Any) -> Any:
    """The module inside others."""
    for wrapped_as in ("_orig_mod", "module"):
        module = getattr(module, wrapped_as, module)
    return module
