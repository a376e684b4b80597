"""Which layers of a model look through a window, as its `config.json` says it."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.interop.huggingface.family import Fields
from pellucid.interop.huggingface.settings import Settings

KINDS = {"full_attention": False, "sliding_attention": True}


def window_everywhere(settings: Settings, default: int | None = None) -> Fields:
    """One window for all layers, or none; `default` where the file does not have the field."""
    given = "sliding_window" in settings.fields
    window = settings("sliding_window", None)
    return {"window": window if given else default}


def window_by_layer(
    settings: Settings, *, n_layer: int, window: int | None, pattern: Sequence[bool]
) -> Fields:
    """The window of the layers that `layer_types` names, or where it is not there `pattern`.

    Raises:
        PellucidError: there are layers of a third kind, or a window is needed and not there.
    """
    given = settings("layer_types", None)
    local = tuple(pattern)
    if given is not None:
        if not isinstance(given, list) or set(map(str, given)) - KINDS.keys():
            raise settings.refusal("layer_types", f"the kinds are {', '.join(KINDS)}")
        local = tuple(KINDS[kind] for kind in given)
    if len(local) != n_layer:
        raise settings.refusal("layer_types", f"there are {n_layer} layers")
    if not any(local):
        return {}
    if window is None:
        raise settings.refusal("sliding_window", "layer_types ask for a window")
    return {"window": window, "window_layers": local}
