"""Whether PyTorch is there, asked before what needs it is imported."""

from __future__ import annotations

from importlib.util import find_spec

from pellucid.errors import PellucidError


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return find_spec("torch") is not None


def require_torch(what: str = "The torch engine") -> None:
    """Raise PellucidError where PyTorch is not installed, and say that `what` needs it."""
    if not has_torch():
        raise PellucidError(
            f"{what} needs PyTorch, which is not installed: pip install 'pellucid[torch]'"
        )
