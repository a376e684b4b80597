"""Tensor names: what is left of one within a block."""

from __future__ import annotations


def scope_of(name: str) -> str:
    """The prefix that the tensors of one part of a block share: `blocks.0.attn.`, or nothing."""
    return f"{name.rpartition('.')[0]}." if "." in name else ""


def shorten(name: str, scope: str) -> str:
    """A name as it reads from within a scope, without the part that both share."""
    shared = scope
    while shared and not name.startswith(shared):
        shared = scope_of(shared.rstrip("."))
    # "0.attn.q" would say nothing: the block's number stays with its word.
    return name if shared == "blocks." else name.removeprefix(shared)
