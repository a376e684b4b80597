"""What the front end of a notebook sends to its kernel, checked on the way in."""

from __future__ import annotations

from typing import Literal

import msgspec


class Opened(msgspec.Struct, frozen=True, tag_field="say", tag="open"):
    """A view of the page is there and wants the document."""

    view: str


class Asked(msgspec.Struct, frozen=True, tag_field="say", tag="ask"):
    """The page in a view asks something, in JSON; `id` comes back with the answer."""

    view: str
    id: int
    kind: Literal["run", "tensor", "explain"]
    asked: str


class Left(msgspec.Struct, frozen=True, tag_field="say", tag="leave"):
    """A view is gone, and with it whoever wants its answers."""

    view: str


Message = Opened | Asked | Left
