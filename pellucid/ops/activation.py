"""What a feed-forward network does between its two linear maps."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.ops.evidence import escape
from pellucid.ops.operation import Dims, Operation, Sizes


class Activation(Operation):
    """A function of each number alone: the dims stay."""

    def dims(self, *inputs: Dims) -> Dims:
        return inputs[0]

    def equation(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return f"{self.kind}({inputs[0]})"

    def latex(self, inputs: Sequence[str], parameters: Sequence[str], sizes: Sizes) -> str:
        return rf"\operatorname{{{escape(self.kind)}}}({inputs[0]})"
