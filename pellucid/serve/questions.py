"""What a page asks of a server, checked on the way in."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from pellucid.trace.edits import Edit

PageName = Annotated[str, msgspec.Meta(max_length=64)]
"""What an open page calls itself."""
Target = int | Literal["next"] | None
"""What should come after the text; "next": at every position but the last."""
At = dict[str, int | tuple[int, int]]
"""Along some dims one place, or those from one on and before another."""
Pixels = Annotated[int, msgspec.Meta(ge=1, le=1024)]
"""Of a picture, along one side."""


class RunQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Run a text, as ids or as text; `target` asks for gradients as well.

    `page` tells one open page from another: a page's new run takes the place of its last one.
    `film_step` is the step of the training that the weights are from; None for the model as it is.
    """

    page: PageName
    ids: tuple[int, ...] | None = None
    text: str | None = None
    edits: tuple[Edit, ...] = ()
    target: Target = None
    film_step: int | None = None


class TensorQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a tensor, or of its gradient; at places along some dims, what remains."""

    run: int
    name: str
    kind: Literal["value", "gradient"] = "value"
    at: At = {}


class GlimpseQuestion(TensorQuestion, frozen=True, forbid_unknown_fields=True):
    """The same as a picture of at most so many pixels along each dim, and how far it reaches."""

    most: dict[str, Pixels] = {}


class ExplainQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a number was made, or where its gradient came from."""

    run: int
    name: str
    index: tuple[int, ...]
    kind: Literal["value", "gradient"] = "value"
    limit: int = 64


Question = RunQuestion | TensorQuestion | GlimpseQuestion | ExplainQuestion
