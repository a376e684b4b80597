"""The parameters of a traced model: labelled, and known by their digest."""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from pellucid.decoder.graph import Fact
from pellucid.decoder.parameters import ParameterSpec
from pellucid.decoder.titles import parameter_title
from pellucid.errors import PellucidError
from pellucid.ops.operation import Array
from pellucid.trace.tensor import TracedTensor, lock


class Parameters(Mapping[str, TracedTensor]):
    """Parameters as tensors that know what they are, in the order of `specs`."""

    def __init__(
        self,
        specs: Mapping[str, ParameterSpec],
        arrays: Mapping[str, Array],
        vocabulary: tuple[str, ...] | None = None,
    ) -> None:
        """Take what is known of each, its array, closed to writing, and a label for each id."""
        self.specs = specs
        self.arrays = arrays
        self.vocabulary = vocabulary

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what pickle and copy made; NumPy's own copies could be written to."""
        self.__dict__.update(state)
        for array in self.arrays.values():
            lock(array)

    def __getitem__(self, name: str) -> TracedTensor:
        return self.tensor(name, self.arrays[name])

    def __contains__(self, name: object) -> bool:
        return name in self.specs

    def __iter__(self) -> Iterator[str]:
        return iter(self.specs)

    def __len__(self) -> int:
        return len(self.specs)

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """What is known of each parameter, whatever its numbers."""
        return {
            name: Fact(name, spec.dims, parameter_title(name), "")
            for name, spec in self.specs.items()
        }

    def tensor(self, name: str, values: Array) -> TracedTensor:
        """A parameter's values, or others of its shape, labelled."""
        fact = self.facts[name]
        words = {"vocab": self.vocabulary} if self.vocabulary and "vocab" in fact.dims else {}
        return TracedTensor(name, values, fact.dims, words, fact.title, fact.equation)

    @property
    def dtype(self) -> str:
        """The precision of their numbers: "float32" or "float64"."""
        return next(iter(self.arrays.values())).dtype.name

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every parameter's name, dtype, shape and bytes, in hexadecimal digits."""
        total = hashlib.sha256()
        for name, array in self.arrays.items():
            total.update(f"{name} {array.dtype.name} {list(array.shape)}\n".encode())
            total.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
        return total.hexdigest()


class EditedParameters(Parameters):
    """Parameters of which some were changed for a run; they are still known by their model's."""

    def __init__(self, original: Parameters, changed: Mapping[str, Array]) -> None:
        """Take the model's own, and the arrays that take the place of some of them."""
        # Looked up one by one: those that are widened on use stay as they are.
        arrays: Mapping[str, Array] = ChainMap({**changed}, original.arrays)  # type: ignore[arg-type]
        super().__init__(original.specs, arrays, original.vocabulary)
        self.original = original
        self.changed = changed

    @cached_property
    def digest(self) -> str:
        """That of the model's own."""
        return self.original.digest


class AbsentParameters(Parameters):
    """What is known of parameters whose numbers are not at hand: they stay with their model."""

    def __init__(
        self,
        specs: Mapping[str, ParameterSpec],
        vocabulary: tuple[str, ...] | None,
        *,
        dtype: str,
        digest: str,
    ) -> None:
        super().__init__(specs, {}, vocabulary)
        self.dtype_name = dtype
        self.digest = digest

    @property
    def dtype(self) -> str:
        return self.dtype_name

    def __getitem__(self, name: str) -> TracedTensor:
        if name not in self.specs:
            raise KeyError(name)
        raise PellucidError(
            f"This trace was loaded without its model, so it has no {name}: "
            f"load it with Trace.load(path, model=…)."
        )
