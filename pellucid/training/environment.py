"""Environment: what beside the seed decides the last bits of a training's numbers."""

from __future__ import annotations

import platform

import msgspec
import numpy as np

import pellucid
from pellucid.training.ranks import ALONE, Ranks
from pellucid.training.threads import blas, threads_of


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a training runs. Recorded, so that going on elsewhere can be told from going on."""

    threads: int
    """Of matrix products, in each process."""
    machine: str
    """The processor's kind."""
    system: str
    python: str
    numpy: str
    blas: str
    """The library of matrix products, with its version."""
    pellucid: str
    engine: str = "numpy"
    torch: str = "none"
    """Its version, where its engine trains."""
    device: str = "cpu"
    processes: int = 1

    @classmethod
    def here(cls, engine: str = "numpy", ranks: Ranks = ALONE, **torch: str) -> Environment:
        """This one; `torch` has its version and the device where its engine trains."""
        return cls(
            threads=threads_of(engine),
            engine=engine,
            processes=ranks.size,
            **torch,
            machine=platform.machine(),
            system=platform.system(),
            python=platform.python_version(),
            numpy=np.__version__,
            blas=blas(),
            pellucid=pellucid.__version__,
        )

    def threads_again(self, engine: str, ranks: Ranks) -> int:
        """As many threads, where as many processes of the same engine go on; else its own."""
        alike = (engine, ranks.size) == (self.engine, self.processes)
        return self.threads if alike else threads_of(engine)

    def differences(self, other: Environment) -> list[str]:
        """What is another in `other`, in words: "numpy 2.4.0 instead of 2.3.1"."""
        return [
            f"{name} {there} instead of {here}"
            for name in self.__struct_fields__
            if (here := getattr(self, name)) != (there := getattr(other, name))
        ]
