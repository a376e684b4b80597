"""Whether PyTorch is there, asked before what needs it is imported."""

from __future__ import annotations

from importlib.util import find_spec

from pellucid.errors import PellucidError


def require_torch() -> None:
    """Raise PellucidError where PyTorch is not installed."""
    if find_spec("torch") is None:
        raise PellucidError(
            "The torch engine needs PyTorch, which is not installed: pip install 'pellucid[torch]'"
        )
