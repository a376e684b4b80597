"""Recording: the NumPy calls of a small step, and the arrays that they wrote, to be made again.

Where a tensor holds a few hundred numbers, Python takes longer between NumPy's calls than NumPy
takes over them. So the first step of a shape runs on arrays that write down every call made with
them, and later steps make the same calls on the same memory. The numbers are the same, bit by bit.

Nothing stale is to slip in: what a call reads comes from a watched array or another recorded call,
or is read-only. Anything else, and any number that leaves the arrays, raises `UnrecordableError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from pellucid.ops.operation import Array

KEYWORD_OUT = (np.maximum, np.minimum)
"""These two no longer take the array to write to as a third argument."""


class UnrecordableError(Exception):
    """The step does something that making its calls again would not repeat."""


class Recording:
    """Calls, in the order in which they were made."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], Any]] = []
        self.owners: dict[int, Array] = {}
        """The arrays whose memory the calls read and write, by identity."""

    def play(self) -> None:
        """Make all calls again."""
        for call in self.calls:
            call()

    def watch(self, array: Array) -> Watched:
        """The same memory, as an array that writes down what is done with it."""
        self.owners[id(owner(array))] = owner(array)
        watched = array.view(Watched)
        watched.recording = self
        return watched

    def add(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Write a call down.

        Raises:
            UnrecordableError: it reads an array that no recorded call has made.
        """
        for each in flattened((*arguments, *options.values())):
            if isinstance(each, np.ndarray) and not self.knows(each):
                raise UnrecordableError(f"{call} reads an array {each.shape} of unknown origin")
        self.calls.append(partial(call, *arguments, **options))

    def knows(self, array: Array) -> bool:
        return id(owner(array)) in self.owners or not array.flags.writeable


class RecordedStep:
    """A training step on memory of its own: `again` takes new ids and targets of the same shapes.

    Reads the parameters where they stood, and writes the gradients into `out`.
    """

    def __init__(
        self, recording: Recording, ids: Array, targets: Array, loss: Array, out: object
    ) -> None:
        self.recording = recording
        self.ids = ids
        self.targets = targets
        self.loss = loss
        self.out = out
        """Held, so that its identity stays its own."""

    def again(self, ids: Array, targets: Array) -> float:
        """The mean loss, in nats."""
        np.copyto(self.ids, ids)
        np.copyto(self.targets, targets)
        self.recording.play()
        return float(self.loss[0])


class Watched(np.ndarray):
    """An array that adds every call made with it to its recording."""

    recording: Recording

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, Watched):
            self.recording = source.recording

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        recording = recording_of(inputs if out is None else (*inputs, *out))
        arguments, call = [plain(each) for each in inputs], getattr(ufunc, method)
        if out is None:
            written = np.asarray(call(*arguments, **options))
            result = recording.watch(written)
        else:
            written, result = plain(out[0]), out[0]
            call(*arguments, out=written, **options)
        arguments = as_arrays(arguments)
        if method == "__call__" and ufunc not in KEYWORD_OUT:
            recording.add(ufunc, *arguments, written, **options)
        else:
            recording.add(call, *arguments, out=written, **options)
        return result

    def __array_function__(
        self, function: Callable[..., Any], types: Any, inputs: Any, options: Mapping[str, Any]
    ) -> Any:
        arguments = [plain(each) for each in inputs]
        plain_options = {name: plain(each) for name, each in options.items()}
        result = function(*arguments, **plain_options)
        if function is np.dot:
            return self.write(arguments[0].dot, arguments[1], written=np.asarray(result))
        if function is np.concatenate and "out" in plain_options:
            self.recording.add(function, arguments[0], 0, plain_options["out"])
            return options["out"]
        if not isinstance(result, np.ndarray):
            raise UnrecordableError(f"{function} gave {result!r}, which is not an array")
        return self.write(overwrite, partial(function, **plain_options), *arguments, written=result)

    # NumPy runs these without asking; they are the ones that the operations use.

    def dot(self, other: Any) -> Any:  # type: ignore[override]
        array, other = plain(self), plain(other)
        return self.write(array.dot, other, written=np.asarray(array.dot(other)))

    def argmax(self, axis: int) -> Any:  # type: ignore[override]
        array = plain(self)
        return self.write(array.argmax, axis, written=array.argmax(axis))

    def take(self, indices: Any, axis: int | None = None) -> Any:  # type: ignore[override]
        array, indices = plain(self), plain(indices)
        taken = array.take(indices, axis)
        watched = self.recording.watch(taken)
        # NumPy writes straight to where it is told only if it need not stop at a wrong index.
        self.recording.add(array.take, indices, axis, taken, "clip")
        return watched

    def astype(self, dtype: Any, copy: bool = True) -> Any:  # type: ignore[override]
        return self.copied(plain(self).astype(dtype))

    def reshape(self, *shape: Any) -> Any:  # type: ignore[override]
        array = plain(self)
        view = array.reshape(*shape)
        if np.may_share_memory(view, array):
            return self.recording.watch(view)
        return self.copied(array.copy()).reshape(*shape)

    def ravel(self) -> Any:  # type: ignore[override]
        return self.reshape(-1)

    def __getitem__(self, key: Any) -> Any:
        return self.take(key, 0) if are_indices(key) else self.part(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if are_indices(key) and self.ndim == 1:
            plain(self).put(plain(key), plain(value))
            self.recording.add(plain(self).put, plain(key), plain(value))
        else:
            part = plain(self.part(key))
            np.copyto(part, plain(value))
            self.recording.add(np.copyto, part, plain(value))

    def part(self, key: Any) -> Watched:
        """A view of some of the numbers.

        Raises:
            UnrecordableError: it is no view, but a copy or a single number.
        """
        part = plain(self)[plain(key)]
        if not isinstance(part, np.ndarray) or not np.may_share_memory(part, plain(self)):
            self.leave()
        return self.recording.watch(part)

    def write(self, call: Callable[..., Any], *arguments: Any, written: Array) -> Watched:
        """Watch what a call has made, and write down the call, which takes it as last argument."""
        watched = self.recording.watch(written)
        self.recording.add(call, *arguments, written)
        return watched

    def copied(self, copy: Array) -> Watched:
        """Watch a copy of this array, perhaps in another dtype, and write the copying down."""
        watched = self.recording.watch(copy)
        self.recording.add(np.copyto, copy, plain(self), "unsafe")
        return watched

    def leave(self, *_: Any) -> NoReturn:
        """Refuse to become a number: the next step would go on using this one's."""
        raise UnrecordableError("a number leaves the arrays")

    __float__ = __int__ = __bool__ = item = tolist = leave


def plain(value: Any) -> Any:
    """The same without anyone watching."""
    if isinstance(value, Watched):
        return value.view(np.ndarray)
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def are_indices(key: Any) -> bool:
    """Whether a key is an array of whole numbers, each of which picks out a row."""
    return isinstance(key, np.ndarray) and key.dtype.kind == "i"


def owner(array: Array) -> Array:
    """The array whose memory this one shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def recording_of(values: Sequence[Any]) -> Recording:
    """The recording of the first that is watched."""
    return next(value.recording for value in values if isinstance(value, Watched))


def as_arrays(values: Sequence[Any]) -> list[Any]:
    """Plain numbers as arrays of the first array's dtype: NumPy takes half as long over them."""
    first = next(value.dtype for value in values if isinstance(value, np.ndarray))
    return [
        np.broadcast_to(np.array(value, first), ())
        if type(value) in (int, float) and np.result_type(first, value) == first
        else value
        for value in values
    ]


def flattened(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and those inside lists."""
    for value in values:
        if isinstance(value, list):
            yield from flattened(value)
        else:
            yield value


def overwrite(call: Callable[..., Any], *arguments: Any) -> None:
    """Make a call that cannot write to an array, and copy what it gives."""
    np.copyto(arguments[-1], call(*arguments[:-1]))
