"""What an operation is: one named step of the decoder, as mathematics. Knows no graph.

Arrays here are `[batch, *dims]`: an operation's dims leave out the batch. Parameters have no batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from pellucid.ops.term import Array as Array
from pellucid.ops.term import Derivation, Index, Slope

if TYPE_CHECKING:
    from pellucid.ops.evidence import Evidence

Dims = tuple[str, ...]
Sizes = Mapping[str, int]
Forward = tuple[Array, tuple[Array, ...]]
"""An operation's output and its named intermediates (`Operation.extras`, in that order)."""
Backward = tuple[tuple[Array | None, ...], tuple[Array, ...]]
"""Gradients of the inputs (None where an input is made of whole numbers) and of the parameters."""

OPERATIONS: dict[str, type[Operation]] = {}
"""Every operation by its kind: an engine, and a test, can walk them."""


class Operation(ABC):
    """One step: forward, backward and explanation side by side.

    Subclasses are frozen dataclasses: two operations with equal settings are equal, and a graph of
    them can be written as data.
    """

    kind: ClassVar[str]
    extras: ClassVar[Dims] = ()
    """Named intermediates that are kept beside the output, e.g. a norm's `mean`."""
    saves: ClassVar[frozenset[str]] = frozenset()
    """What `backward` reads: "inputs", "output", or names of extras. An engine keeps just these."""

    joins_positions: ClassVar[bool] = False
    """Whether a position of the output depends on others of the first input."""

    inside: ClassVar[Mapping[str, Dims]] = {}
    """Of what each extra is made, in the order in which they are, and under "" the output: names of
    extras before it, or "input 0", …. Only where there are extras."""

    reads_numbers: ClassVar[bool] = True
    """False where only whole numbers come in: the output is float64, for an engine to round."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in cls.__dict__:
            OPERATIONS[cls.kind] = cls

    @property
    def parameters(self) -> tuple[str, ...]:
        """Local names of the parameters, in the order that `forward` takes them."""
        return ()

    def parameter_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        """The dims of each parameter, given those of the inputs."""
        return ()

    @abstractmethod
    def dims(self, *inputs: Dims) -> Dims:
        """The dims of the output, given those of the inputs."""

    def extra_dims(self, *inputs: Dims) -> tuple[Dims, ...]:
        """The dims of each extra, given those of the inputs."""
        return ()

    @abstractmethod
    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        """The right-hand side, in plain text, with the names of this step's operands."""

    @abstractmethod
    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        """The same in LaTeX, with names that are LaTeX already; of what KaTeX understands."""

    @abstractmethod
    def forward(self, inputs: Sequence[Array], parameters: Sequence[Array]) -> Forward:
        """The output and the extras. Writes into no array that it was given."""

    @abstractmethod
    def backward(
        self,
        grad: Array,
        inputs: Sequence[Array],
        parameters: Sequence[Array],
        output: Array | None,
        extras: Sequence[Array],
    ) -> Backward:
        """The gradients of inputs and parameters, given the output's; reads what it `saves`."""

    def make(self, part: str, given: Sequence[Array], parameters: Sequence[Array]) -> Array:
        """One extra by itself, or the output for "", of what it is made of `inside`.

        All of them, one after the other, give what `forward` gives, to the last bit.
        """
        raise NotImplementedError

    def unmake(
        self,
        part: str,
        grad: Array,
        given: Sequence[Array],
        parameters: Sequence[Array],
        made: Array,
    ) -> Backward:
        """The gradients of what a part was made of, given its own, and of the parameters.

        Args:
            part: an extra, or "" for the output.
            grad: of the part.
            given: what it was made of.
            parameters: of the operation.
            made: the part itself.
        """
        raise NotImplementedError

    @abstractmethod
    def explain(self, seen: Evidence, cell: Index, extra: str | None = None) -> Derivation:
        """How one cell of the output, or of an extra, was made; `cell` in the order of its dims."""

    @abstractmethod
    def slope(self, seen: Evidence, operand: str, cell: Index) -> Slope:
        """How the output moves with one cell of an operand.

        Args:
            seen: what the step read and wrote.
            operand: "input 0", "input 1", … or "parameter 0", ….
            cell: of the operand, in the order of its dims.
        """

    @abstractmethod
    def flops(self, inputs: Sequence[Dims], sizes: Sizes) -> int:
        """Floating-point operations of `forward` for one sequence; a multiply-add counts as two."""


def count(dims: Dims, sizes: Sizes) -> int:
    """How many numbers a tensor of these dims holds."""
    return prod(sizes[dim] for dim in dims)
