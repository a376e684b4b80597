"""What a user gives a model, read and checked: prompts, ids, targets, padded pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.errors import PellucidError
from pellucid.model.vocabulary import check_rows
from pellucid.ops.loss import NO_TARGET
from pellucid.ops.operation import Array
from pellucid.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pellucid.model.model import Model


def need_tokenizer(model: Model) -> Tokenizer:
    """The tokenizer, or an error that offers ids."""
    if model.tokenizer is None:
        raise PellucidError("This model has no tokenizer: give ids=[…] instead of text.")
    return model.tokenizer


def read_ids(model: Model, prompt: str | None, ids: Sequence[int] | None) -> list[int]:
    """Token ids of a prompt, or the ids that were given; at least one."""
    if prompt is not None and not isinstance(prompt, str):
        raise PellucidError(
            f"A prompt is text, not {type(prompt).__name__}: give token ids as ids=[…]."
        )
    if ids is None:
        tokenizer = need_tokenizer(model)
        read = tokenizer.prompt(prompt or "")
        check_rows(tokenizer, read, model.config.vocab_size)
    elif prompt is None:
        read = check_ids(model, ids, 1).tolist()
    else:
        raise PellucidError("Give a prompt or ids, not both.")
    if not read:
        why = "this model has no start token, so give text"
        advice = why if ids is None else "give at least one token"
        raise PellucidError(f"There is nothing to read: {advice}.")
    return read


def read_all_ids(model: Model, prompts: Any, ids: Any) -> list[list[int]]:
    """The same for one prompt or several, or for the ids of one or several."""
    if prompts is not None and ids is not None:
        raise PellucidError("Give a prompt or ids, not both.")
    if isinstance(prompts, list | tuple):
        read = [read_ids(model, prompt, None) for prompt in prompts]
    elif isinstance(ids, list | tuple) and any(isinstance(each, list | tuple) for each in ids):
        read = [read_ids(model, None, each) for each in ids]
    else:
        read = [read_ids(model, prompts, ids)]
    if not read:
        raise PellucidError("There is no prompt in this list: give at least one.")
    return read


def read_prompt(model: Model, prompt: str | None, ids: Sequence[int] | None) -> list[int]:
    """The same, and no longer than the context."""
    read = read_ids(model, prompt, ids)
    check_length(model, len(read))
    return read


def read_target(model: Model, ids: Sequence[int], target: str | int) -> list[int]:
    """A target for each position, −1 where there is none: see `Model.trace`."""
    if target == "next":
        if len(ids) < 2:
            raise PellucidError('target="next" needs two tokens or more: the last has no next one.')
        return [*ids[1:], NO_TARGET]
    return [NO_TARGET] * (len(ids) - 1) + [target_id(model, target)]


def target_id(model: Model, target: str | int) -> int:
    """The id of a target given as text or id."""
    if not isinstance(target, str):
        return int(check_ids(model, [target], 1)[0])
    tokenizer = need_tokenizer(model)
    known = target in tokenizer.tokens
    ids = [tokenizer.tokens.index(target)] if known else tokenizer.encode(target)
    if len(ids) != 1:
        raise PellucidError(f'The target "{target}" is {len(ids)} tokens; it must be one.')
    check_rows(tokenizer, ids, model.config.vocab_size)
    return ids[0]


def check_batch(model: Model, ids: Any) -> Array:
    """Ids as an array `[batch, position]`, in range and no longer than the context."""
    batch = check_ids(model, ids, 2)
    check_length(model, batch.shape[1] if len(batch) else 0)
    return batch


def check_ids(model: Model, ids: Any, ndim: int) -> Array:
    """Ids as whole numbers of so many dims, each from 0 to vocab_size - 1."""
    array = as_whole_numbers(ids, "ids")
    if array.ndim != ndim:
        shape = "[position]" if ndim == 1 else "[batch, position]"
        raise PellucidError(f"ids have {array.ndim} dims, {list(array.shape)}; give {shape}.")
    if array.size and not 0 <= array.min() <= array.max() < model.config.vocab_size:
        wrong = array[(array < 0) | (array >= model.config.vocab_size)][0]
        raise PellucidError(
            f"There is no token {wrong}: ids go from 0 to {model.config.vocab_size - 1}."
        )
    return array


def check_length(model: Model, length: int) -> None:
    """At least one token, and no more than the context."""
    if not length:
        raise PellucidError("There is nothing to read: give at least one token.")
    if length > model.config.block_size:
        raise PellucidError(
            f"This text is {length} tokens, but the model's context is "
            f"{model.config.block_size}: shorten it (generate slides a window along instead)."
        )


def check_pairs(model: Model, contexts: Any, targets: Any, lengths: Any) -> dict[str, Array]:
    """`ids` and `targets`, both `[batch, position]`: see `Model.loss`."""
    ids = check_batch(model, contexts)
    wanted = as_whole_numbers(targets, "targets")
    if wanted.shape == ids.shape:
        placed = wanted
    elif wanted.shape == (len(ids),):
        placed = np.full(ids.shape, NO_TARGET)
        ends = real_lengths(model, ids) if lengths is None else check_lengths(ids, lengths)
        placed[np.arange(len(ids)), ends - 1] = wanted
    else:
        raise PellucidError(
            f"targets are {list(wanted.shape)}; give [batch] or [batch, position] for contexts "
            f"of {list(ids.shape)}."
        )
    if not (placed != NO_TARGET).any():
        raise PellucidError("There is no target: every one is −1.")
    check_ids(model, np.where(placed == NO_TARGET, 0, placed), 2)
    return {"ids": ids, "targets": placed}


def real_lengths(model: Model, ids: Array) -> Array:
    """How many tokens stand before the padding, `[batch]`; all without a padding token."""
    pad = None if model.tokenizer is None else model.tokenizer.pad_id
    real = ids != (NO_TARGET if pad is None else pad)
    if not real.any(axis=1).all():
        raise PellucidError(f"Context {int(real.any(axis=1).argmin())} is nothing but padding.")
    lengths: Array = ids.shape[1] - real[:, ::-1].argmax(axis=1)
    return lengths


def check_lengths(ids: Array, lengths: Any) -> Array:
    """Each context's number of real tokens, `[batch]`."""
    ends = as_whole_numbers(lengths, "lengths")
    if ends.shape != (len(ids),) or ends.min() < 1 or ends.max() > ids.shape[1]:
        raise PellucidError(
            f"lengths must be {len(ids)} numbers from 1 to {ids.shape[1]}, one for each context."
        )
    return ends


def as_whole_numbers(numbers: Any, name: str) -> Array:
    """An array of int64, or an error that names it."""
    try:
        array = np.asarray(numbers)
    except ValueError:
        raise PellucidError(f"{name} are of unequal length: pad them to one.") from None
    if array.size and not np.issubdtype(array.dtype, np.integer):
        what = "any objects" if array.dtype == object else array.dtype
        raise PellucidError(f"{name} must be whole numbers, not {what}.")
    if array.size and int(array.max()) > np.iinfo(np.int64).max:
        # As int64 it would come out negative, and could be taken for "no target".
        raise PellucidError(f"{name} must be whole numbers below 2⁶³, not {array.max()}.")
    return array.astype(np.int64)
