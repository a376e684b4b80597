"""The activations of `transformers` by our names for them."""

from __future__ import annotations

from pellucid.interop.huggingface.settings import Settings

ACTIVATIONS = {
    "relu": "relu",
    "relu2": "relu_squared",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "quick_gelu": "gelu_quick",
    "silu": "silu",
    "swish": "silu",
}


def activation(settings: Settings, name: str, default: str) -> str:
    """Our name of the activation that a field names.

    Raises:
        PellucidError: it is one that the decoder does not have.
    """
    theirs = settings(name, default)
    if not isinstance(theirs, str) or theirs not in ACTIVATIONS:
        raise settings.refusal(name, f"the activations are {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[theirs]
