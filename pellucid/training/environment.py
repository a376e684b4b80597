"""Environment: what beside the seed decides the last bits of a training's numbers."""

from __future__ import annotations

import platform

import msgspec
import numpy as np

import pellucid
from pellucid.training.threads import blas, blas_threads


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a training runs. Recorded, so that going on elsewhere can be told from going on."""

    threads: int
    """Of NumPy's matrix products."""
    machine: str
    """The processor's kind."""
    system: str
    python: str
    numpy: str
    blas: str
    """The library of matrix products, with its version."""
    pellucid: str

    @classmethod
    def here(cls) -> Environment:
        """This one."""
        return cls(
            threads=blas_threads(),
            machine=platform.machine(),
            system=platform.system(),
            python=platform.python_version(),
            numpy=np.__version__,
            blas=blas(),
            pellucid=pellucid.__version__,
        )

    def differences(self, other: Environment) -> list[str]:
        """What is another in `other`, in words: "numpy 2.4.0 instead of 2.3.1"."""
        return [
            f"{name} {there} instead of {here}"
            for name in self.__struct_fields__
            if (here := getattr(self, name)) != (there := getattr(other, name))
        ]
