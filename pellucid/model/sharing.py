"""Arrays that a model holds without copying them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pellucid.ops.operation import Array


def shared(arrays: Mapping[str, Array], dtype: str) -> dict[str, Array]:
    """The arrays themselves where they are of `dtype`, closed to writing through these views.

    What lies askew in memory, as a mapped file may have it, is copied: products are slow on it.
    """
    held = {}
    for name, array in arrays.items():
        view = np.require(array.astype(dtype, copy=False), requirements="A").view()
        view.flags.writeable = False
        held[name] = view
    return held
