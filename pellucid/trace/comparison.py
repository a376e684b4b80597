"""What came of holding one set of tensors against another. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pellucid.errors import PellucidError, did_you_mean
from pellucid.showing import to_html, to_text
from pellucid.trace.audit import Departure
from pellucid.trace.prediction_shift import PredictionShift
from pellucid.trace.stream_change import StreamChange

Kind = Literal["equal", "noise", "fault", "changed", "edited", "differs"]
"""How a tensor of `b` stands to that of `a`: bit for bit the same; apart by what rounding explains;
wrong by itself; apart because the models have other weights or another step there, neither wrong;
apart because an edit changed it, or what its step does; or apart by more than rounding because of
what it was computed from."""
Verdict = Literal["equal", "noise", "edited", "different", "fault"]


@dataclass(frozen=True, slots=True)
class TensorDifference:
    """One tensor of `a` held against the same of `b`.

    Attributes:
        name: of the tensor, or of a parameter.
        dims: its dims.
        shape: in `a`.
        shape_in_b: the same unless `b` has numbers that cannot be laid out so.
        kind: see `Kind`.
        step: the tensor that the same step puts out: its own name, unless it is an intermediate.
        largest: the largest absolute error, ∞ where an infinity or a NaN stands on one side alone.
        largest_ulps: the same in units of the last place of the number it belongs to.
        typical: the median of the absolute errors.
        typical_ulps: the median of the errors in units of the last place.
        magnitude: the largest finite number of both sides, without its sign.
        cell: where the largest error is: an index for each dim; empty where shapes differ.
        where: the same in words, with token labels.
        a, b: the two numbers there.
        a_step, b_step: how far each side is from the same step in float64, given what that side
            had before it; None where there are no weights to run it with.
        nans: how many cells are NaN on both sides, which counts as equal.
        relative: how far the tensor moved for its size: the root mean square of all differences as
            a multiple of that of the numbers in `a`.
    """

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    shape_in_b: tuple[int, ...]
    kind: Kind
    largest: float
    largest_ulps: float
    typical: float
    typical_ulps: float
    magnitude: float
    cell: Mapping[str, int]
    where: str
    a: float
    b: float
    a_step: Departure | None = None
    b_step: Departure | None = None
    nans: int = 0
    step: str = ""
    relative: float = 0.0

    @property
    def equal(self) -> bool:
        """Whether every number is the same."""
        return self.kind == "equal"

    @property
    def within_tolerance(self) -> bool:
        """Whether rounding explains the difference, if there is one."""
        return self.kind in ("equal", "noise")

    @property
    def share(self) -> float | None:
        """The larger of the two steps' parts of what rounding explains, beyond 1 for a fault."""
        steps = [step.share for step in (self.a_step, self.b_step) if step is not None]
        return max(steps, default=None)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Two sets of tensors side by side, in the order in which they are computed.

    Attributes:
        tensors: those that both sides have.
        parameters: those that both sides have and that are not one and the same.
        precision: the coarser of the two sides' floating-point types.
        rerun: whether the steps were run again in float64.
        only_in_a, only_in_b: tensors that one side lacks.
        unrecognised: names in another program's arrays that are none of ours.
        configs: fields in which the two models' configs differ, with both values.
        different: whether the two are different models: their weights differ by more than rounding,
            or their configs do. Each step then answers to its own model's weights.
        n_weights: how many weight tensors both models have, where both have them at hand.
        edits_in_a, edits_in_b: the edits of either run, in words, in the order in which they apply.
        shift: what comes next after the last position in `a` and in `b`, where both kept that.
        divergences: KL(a ‖ b) of what comes next at every position, in nats; empty where there is
            no `shift`.
        stream: how far the residual stream moved at each token.
    """

    tensors: tuple[TensorDifference, ...]
    parameters: tuple[TensorDifference, ...]
    precision: str
    rerun: bool
    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()
    unrecognised: tuple[str, ...] = ()
    configs: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    different: bool = False
    n_weights: int = 0
    edits_in_a: tuple[str, ...] = ()
    edits_in_b: tuple[str, ...] = ()
    shift: PredictionShift | None = None
    divergences: tuple[float, ...] = ()
    stream: StreamChange | None = None

    @property
    def first(self) -> TensorDifference | None:
        """The first fault; without one, the first tensor that differs by more than rounding."""
        apart = [each for each in self.tensors if not each.within_tolerance]
        return next(iter([*self.faults, *apart]), None)

    @property
    def faults(self) -> tuple[TensorDifference, ...]:
        """The first tensor of each step that is wrong by itself, whatever it was computed from."""
        return self.first_of_each_step("fault")

    @property
    def changed(self) -> tuple[TensorDifference, ...]:
        """The first tensor of each step that the two models take in another way, both rightly."""
        return self.first_of_each_step("changed")

    @property
    def edited(self) -> tuple[TensorDifference, ...]:
        """The first tensor of each step that an edit changed, or whose weights one did."""
        return self.first_of_each_step("edited")

    @property
    def weights_apart(self) -> tuple[TensorDifference, ...]:
        """The weight tensors that differ by more than rounding."""
        return tuple(each for each in self.parameters if not each.within_tolerance)

    def first_of_each_step(self, kind: Kind) -> tuple[TensorDifference, ...]:
        first: dict[str, TensorDifference] = {}
        for each in self.tensors:
            if each.kind == kind:
                first.setdefault(each.step, each)
        return tuple(first.values())

    @property
    def verdict(self) -> Verdict:
        """What it comes to, in one word.

        - "fault": some step of `a` or `b` is wrong by itself.
        - "different": none is, and the two are different models, whether or not it shows here.
        - "edited": one model, and edits explain every difference that rounding does not.
        - "equal": the tensors are the same, bit for bit.
        - "noise": rounding explains every difference.
        """
        if self.faults:
            return "fault"
        if self.different:
            return "different"
        if any(not each.within_tolerance for each in self.tensors):
            return "edited"
        return "equal" if all(each.equal for each in self.tensors) else "noise"

    @property
    def reason(self) -> str:
        """The verdict in words."""
        from pellucid.trace.verdict import reason

        return reason(self)

    def __getitem__(self, name: str) -> TensorDifference:
        """The difference of one tensor or parameter.

        Raises:
            PellucidError: none of that name was compared; near names are offered.
        """
        found = {each.name: each for each in (*self.parameters, *self.tensors)}
        if name not in found:
            raise PellucidError(f'"{name}" was not compared.{did_you_mean(name, found)}')
        return found[name]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: dictionaries, tuples, words and numbers."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "first": None if self.first is None else self.first.name,
            "faults": [each.name for each in self.faults],
            **asdict(self),
        }

    def __repr__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)
