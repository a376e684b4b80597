"""Execution: which engine trains, and where. It decides speed, memory and rounding, no more."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pellucid.errors import PellucidError
from pellucid.training.checks import check_word

ENGINES = ("numpy", "torch")
SHARDINGS = ("none", "full", "hybrid")
PRECISIONS = ("float32", "float64", "bfloat16")


class Execution(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a training is carried out.

    Raises:
        PellucidError: a word is unknown, PyTorch is asked for and not installed, or something is
            asked of the NumPy engine that it does not do.
    """

    engine: str = "numpy"
    device: str = "auto"
    """For PyTorch: "auto" is a GPU where there is one, else the CPU."""
    autocast: bool = False
    """Whether matrix products are made in bfloat16; norms, softmax and loss stay in float32."""
    compile: bool = False
    """Whether each block is compiled before its first run."""
    checkpoint_activations: bool = False
    """Whether what a block's inside made is worked out again on the way back instead of kept."""
    sharding: str = "none"
    """Of parameters, gradients and the optimizer's state: none, so that each process has all of
    them; "full" over all processes; "hybrid" within each machine."""

    def __post_init__(self) -> None:
        check_word("engine", self.engine, ENGINES)
        check_word("sharding", self.sharding, SHARDINGS)
        if self.engine == "numpy":
            self.check_numpy()

    def check_numpy(self) -> None:
        """Raise `PellucidError` for what the NumPy engine does not do."""
        for field in msgspec.structs.fields(self):
            value = getattr(self, field.name)
            if field.name != "engine" and value != field.default:
                asked = "dtype=bfloat16" if field.name == "autocast" else f"{field.name}={value}"
                raise PellucidError(f"{asked} takes PyTorch: choose engine=torch with it.")

    @property
    def shards(self) -> bool:
        """Whether no process has all the parameters."""
        return self.sharding != "none"

    def changed(self, **changes: object) -> Execution:
        """The same with what is given, and not None, in its place.

        What only PyTorch does is left behind with it when the engine becomes NumPy.
        """
        given = {name: value for name, value in changes.items() if value is not None}
        before = Execution() if given.get("engine") == "numpy" else self
        return msgspec.structs.replace(before, **given)


def settled(dtype: str, how: Mapping[str, object]) -> tuple[str, Execution]:
    """The type of the parameters, and the execution, that follow from what was asked for.

    In "bfloat16" products alone are made: the parameters stay in float32.

    Raises:
        PellucidError: the two do not go together, or there is no such type or execution.
    """
    check_word("dtype", dtype, PRECISIONS)
    autocast = dtype == "bfloat16"
    return "float32" if autocast else dtype, Execution().changed(**how, autocast=autocast)
