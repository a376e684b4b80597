"""Each step of a run, done again in float64 from what the run itself had before that step.

So a step answers for its own arithmetic alone: what went wrong, or was rounded, further up stands
in its inputs. What the run did not hand over is worked out from what it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pellucid.decoder.graph import Graph
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.ops.operation import Array
from pellucid.trace.ulp import difference, roundoff

SAMPLES = 4
"""How many runs with rounded inputs show what rounding does to a step."""
SLACK = 16
"""So many times what those runs show is still rounding.

Other programs add in another order: sums of 3,072 products taken one after the other were off by
6 times as much as the matrix product's, which keeps many partial sums.
"""
ROUNDINGS = 4
"""A number may be rounded so often on its way through one step, whatever the others do."""


@dataclass(frozen=True, slots=True)
class Departure:
    """How far a step of a run is from the same step in float64, where it is furthest.

    Attributes:
        index: the cell.
        given: what the run has there.
        expected: what the step gives there in float64.
        allowed: the difference that rounding explains there.
        share: the difference as a part of what rounding explains, in this cell or over all cells
            together, whichever is more; beyond 1 the step does something else.
        where: the cell in words, with token labels.
    """

    index: tuple[int, ...]
    given: float
    expected: float
    allowed: float
    share: float
    where: str = ""


class Audit:
    """A model's steps over one text, ready to be done again from anybody's values."""

    def __init__(
        self,
        graph: Graph,
        parameters: Mapping[str, Array],
        ids: tuple[int, ...],
        targets: tuple[int, ...] | None,
    ) -> None:
        self.graph = graph
        self.parameters = parameters
        self.inputs = {"ids": np.array([ids], dtype=np.int64)}
        if targets is not None:
            self.inputs["targets"] = np.array([targets], dtype=np.int64)

    def departures(self, values: Mapping[str, Array], dtype: str) -> dict[str, Departure]:
        """How far each of a run's tensors is from its step in float64.

        Args:
            values: the run's tensors by name, each of the shape that the graph gives it.
            dtype: the precision in which they were computed.
        """
        exact = self.steps(self.exact, values)
        noises = {name: Noise(expected, dtype) for name, expected in exact.items()}
        for seed in range(SAMPLES):
            rng = np.random.default_rng(seed)
            for name, rounded in self.steps(self.rounding, values, rng).items():
                noises[name].add(rounded)
        return {name: noise.departure(values[name]) for name, noise in noises.items()}

    @cached_property
    def exact(self) -> NumpyEngine:
        return self.engine("float64")

    @cached_property
    def rounding(self) -> NumpyEngine:
        """The engine whose rounding stands for that of every precision, in proportion."""
        return self.engine("float32")

    def engine(self, dtype: str) -> NumpyEngine:
        arrays = {name: array.astype(dtype, copy=False) for name, array in self.parameters.items()}
        return NumpyEngine(self.graph, arrays)

    def steps(
        self,
        engine: NumpyEngine,
        values: Mapping[str, Array],
        rng: np.random.Generator | None = None,
    ) -> dict[str, Array]:
        """What each step gives when those before it gave `values`, with `rng` rounded anew."""
        made: dict[str, Array] = {}

        def put_back(name: str, output: Array) -> Array:
            if name not in values:
                return output
            made[name] = output[0, ...]
            given = values[name].astype(engine.dtype)
            if rng is not None:
                given = given * (1 + roundoff(engine.dtype) * rng.uniform(-1, 1, given.shape))
            return given.astype(engine.dtype)[None]

        with np.errstate(all="ignore"):
            run = engine.forward(self.inputs, keep=values, outputs=(), intervene=put_back)
        # Intermediates of a step are not put back: nothing but that step reads them.
        return {name: made[name] if name in made else run[name][0, ...] for name in values}


class Noise:
    """What rounding does to one tensor, seen from runs that round."""

    def __init__(self, expected: Array, dtype: str) -> None:
        self.expected = np.asarray(expected, dtype=np.float64)
        self.roundoff = roundoff(dtype)
        self.largest = 0.0
        self.squares = 0.0
        self.overflows = np.zeros(self.expected.shape, dtype=bool)

    def add(self, rounded: Array) -> None:
        """Take in one run in float32."""
        noise = difference(rounded, self.expected) * (self.roundoff / roundoff("float32"))
        self.overflows |= np.isinf(noise)
        noise = np.where(np.isinf(noise), 0.0, noise)
        self.largest = max(self.largest, float(noise.max(initial=0.0)))
        self.squares += float(np.mean(noise * noise)) / SAMPLES

    def departure(self, given: Array) -> Departure:
        """How far `given` is from what was expected, beside what rounding explains."""
        error = np.where(self.overflows, 0.0, difference(given, self.expected))
        finite = np.where(np.isfinite(self.expected), np.abs(self.expected), 0.0)
        allowed = SLACK * self.largest + ROUNDINGS * self.roundoff * finite
        shares = parts(error, allowed)
        index = tuple(int(i) for i in np.unravel_index(int(shares.argmax()), shares.shape))
        typical = SLACK * np.sqrt(self.squares) + ROUNDINGS * self.roundoff * rms(finite)
        together = float(parts(np.array(rms(error)), np.array(typical)))
        return Departure(
            index=index,
            given=float(given[index]),
            expected=float(self.expected[index]),
            allowed=float(allowed[index]),
            share=max(float(shares[index]), together),
        )


def parts(error: Array, allowed: Array) -> Array:
    """Errors as parts of what is allowed; no error is 0 even where none is allowed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error == 0, 0.0, error / allowed)


def rms(numbers: Array) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(np.square(numbers))))
