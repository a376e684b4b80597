"""Found: what an analysis found. It never changes, nor do its copies, and it shows itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pellucid.showing import to_html, to_text
from pellucid.trace.tensor import lock


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Found:
    """What frozen dataclasses have in common that hold what an analysis found."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            for array in value.values() if isinstance(value, Mapping) else (value,):
                if isinstance(array, np.ndarray):
                    lock(array)

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy make a copy from; NumPy's own copies could be written to."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)
