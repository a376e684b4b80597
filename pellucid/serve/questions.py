"""What a page asks of a server, checked on the way in."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from pellucid.trace.edits import Edit

PageName = Annotated[str, msgspec.Meta(max_length=64)]
"""What an open page calls itself."""
Target = int | Literal["next"] | None
"""What should come after the text; "next": at every position but the last."""


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
    """The numbers of a tensor, or of its gradient; at a place along some dims, what remains."""

    run: int
    name: str
    kind: Literal["value", "gradient"] = "value"
    at: dict[str, int] = {}


class ExplainQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a number was made, or where its gradient came from."""

    run: int
    name: str
    index: tuple[int, ...]
    kind: Literal["value", "gradient"] = "value"
    limit: int = 64


Question = RunQuestion | TensorQuestion | ExplainQuestion
