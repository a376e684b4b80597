"""Tensor names: what is left of one within a block, and what a name stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError, did_you_mean

if TYPE_CHECKING:
    from pellucid.decoder.graph import Graph

UNEDITED = "unedited"
"""After the name of a tensor: what it was before the first edit; `edited_1` after that."""
EARLIER = re.compile(rf"\.(?:{UNEDITED}|edited_\d+)\Z")
OTHER_PROGRAMS = "pellucid.interop.aliases"
"""What knows their names. It stands above this folder and is imported when one is met."""


def scope_of(name: str) -> str:
    """The prefix that the tensors of one part of a block share: `blocks.0.attn.`, or nothing."""
    name = edited(name)
    return f"{name.rpartition('.')[0]}." if "." in name else ""


def edited(name: str) -> str:
    """The tensor of which this is what it was before an edit: `q` of `q.unedited`; else itself."""
    return EARLIER.sub("", name)


def shorten(name: str, scope: str) -> str:
    """A name as it reads from within a scope, without the part that both share."""
    shared = scope
    while shared and not name.startswith(shared):
        shared = scope_of(shared.rstrip("."))
    # "0.attn.q" would say nothing: the block's number stays with its word.
    return name if shared == "blocks." else name.removeprefix(shared)


def translate(name: str, graph: Graph) -> str | None:
    """Our name of what another program calls so, or None.

    Raises:
        PellucidError: it is laid out otherwise there; ours is named.
    """
    found: str | None = import_module(OTHER_PROGRAMS).translate(str(name), graph)
    return found


def complete(name: str, known: Iterable[str]) -> str:
    """The one known name that ends like this one: `attn.q` where there is one block.

    Raises:
        PellucidError: none does, and near names are offered; or several do.
    """
    known = list(known)
    ends = [whole for whole in known if whole.endswith(f".{name}")]
    if len(ends) == 1:
        return ends[0]
    if ends:
        others = f" and {len(ends) - 3} more" if len(ends) > 3 else ""
        raise PellucidError(f'"{name}" is one of {", ".join(ends[:3])}{others}: give it whole.')
    raise PellucidError(f'This model has no tensor "{name}".{did_you_mean(name, known)}')
