"""What somebody's torch module computes, caught by hooks: arrays to hold against a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from pellucid.engine.find_torch import require_torch
from pellucid.errors import PellucidError, did_you_mean
from pellucid.ops.operation import Array
from pellucid.trace.recognise import IDS

INPUT = ":input"
"""Behind a submodule's path: not what it returns, but what it is given."""

Names = Mapping[str, str | Sequence[str]]


def capture(module: Any, inputs: Any, names: Names | None = None) -> dict[str, Array]:
    """Run a torch module once and take out what its submodules return.

    `pellucid.compare(model, capture(module, [[1, 11, 3]], names))` then finds the first tensor that
    leaves the model's. The module runs without gradients and in eval mode, and is left as it was.

    Args:
        module: any `torch.nn.Module`.
        inputs: what it is called with: a tensor or an array; a list of token ids, or of texts of
            them; a tuple of arguments; or a mapping of keyword arguments.
        names: a submodule's path to our name for what it returns: `{"h.0.ln_1": "blocks.0.norm1"}`.
            The path "" is the module itself, and `"h.0.ln_1:input"` what that one is given. Several
            names share the last dim evenly, for a map that makes q, k and v at once. Without names,
            everything under its path, the module's own result under "output".

    Returns:
        Arrays by name; and `ids`, where the first argument is made of whole numbers. Numbers of 16
        bits are float32.

    Raises:
        PellucidError: PyTorch is not installed; there is no submodule of a path, it did not run,
            ran more than once, or gave no tensor; or a result does not divide among its names.
    """
    require_torch()
    import torch

    modules = dict(module.named_modules())
    wanted = names if names is not None else {path: path or "output" for path in modules}
    caught: dict[str, list[Any]] = {path: [] for path in wanted}
    arguments, options = called_with(inputs, device_of(module))
    with ExitStack() as stack:
        for path in wanted:
            stack.callback(watch(modules, path, caught[path].append).remove)
        stack.enter_context(evaluating(modules.values()))
        stack.enter_context(torch.no_grad())
        module(*arguments, **options)
    if names is None:
        once = {path: values for path, values in caught.items() if len(values) == 1}
        caught = {path: values for path, values in once.items() if values[0] is not None}
    found = ids_in([*arguments, *options.values()])
    for path, values in caught.items():
        found.update(divided(path, only_one(path, values), wanted[path]))
    return found


def called_with(inputs: Any, device: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments; lists and arrays as tensors."""
    import torch

    def as_argument(given: Any) -> Any:
        if isinstance(given, list):
            tensor = torch.tensor(given, device=device)
            return tensor[None] if tensor.dim() == 1 else tensor
        return torch.tensor(given, device=device) if isinstance(given, np.ndarray) else given

    if isinstance(inputs, Mapping):
        return (), {name: as_argument(given) for name, given in inputs.items()}
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    return tuple(as_argument(each) for each in given), {}


def device_of(module: Any) -> Any:
    """Where a module's parameters lie; None, the default, for one without any."""
    return next((parameter.device for parameter in module.parameters()), None)


def watch(modules: Mapping[str, Any], path: str, catch: Callable[[Any], None]) -> Any:
    """Hook a submodule; returns what removes the hook."""
    plain = path.removesuffix(INPUT)
    if plain not in modules:
        near = did_you_mean(plain, modules)
        raise PellucidError(f'The module has no submodule "{plain}".{near}')
    submodule = modules[plain]
    if path.endswith(INPUT):
        return submodule.register_forward_pre_hook(
            lambda _, given, more: catch(copy_of((*given, *more.values()))), with_kwargs=True
        )
    return submodule.register_forward_hook(lambda _, given, returned: catch(copy_of(returned)))


def copy_of(value: Any) -> Array | None:
    """The first tensor in a value, copied: what comes after may write to it. None without one."""
    import torch

    from pellucid.engine.torch_tensors import as_array

    if isinstance(value, torch.Tensor):
        return as_array(value.detach().clone())
    inside = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, Mapping | tuple | list):
        return None
    copies = (copy_of(each) for each in inside)
    return next((copy for copy in copies if copy is not None), None)


@contextmanager
def evaluating(modules: Any) -> Iterator[None]:
    """Everything in eval mode, so that no dropout is in the way; afterwards as it was."""
    before = [(each, each.training) for each in modules]
    for each, _ in before:
        each.training = False
    try:
        yield
    finally:
        for each, training in before:
            each.training = training


def ids_in(arguments: Sequence[Any]) -> dict[str, Array]:
    """The token ids that a module was called with, if its first tensor is made of whole numbers."""
    first = copy_of(tuple(arguments))
    return {IDS: first} if first is not None and first.dtype.kind in "iu" else {}


def only_one(path: str, values: Sequence[Array | None]) -> Array:
    """What was caught, if the submodule ran once and gave a tensor."""
    if len(values) != 1:
        ran = f"ran {len(values)} times: its results have no one name" if values else "did not run"
        raise PellucidError(f'The submodule "{path}" {ran}. Leave it out of names.')
    if values[0] is None:
        raise PellucidError(f'The submodule "{path}" gave no tensor. Leave it out of names.')
    return values[0]


def divided(path: str, array: Array, names: str | Sequence[str]) -> dict[str, Array]:
    """An array under its name, or cut along its last dim among several."""
    if isinstance(names, str):
        return {names: array}
    if array.shape[-1] % len(names):
        raise PellucidError(
            f'What "{path}" gave is {list(array.shape)}: its last dim does not divide among '
            f"{len(names)} names."
        )
    return dict(zip(names, np.split(array, len(names), axis=-1), strict=True))
