"""Special tokens: which ids begin, end and fill up texts, as a model's own settings say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pellucid.errors import PellucidError
from pellucid.text.building import END, PAD

PADS = (PAD, "<pad>", "[PAD]", "<|padding|>")
ENDS = (END, "</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>")
"""How a padding and an end token are spelled where nothing else says which one it is."""


class SpecialTokens(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ids that stand for no text, by what they are for. Data only."""

    start: int | None = None
    """What begins a text. Whether prompts get it is said by the tokenizer's own file."""
    end: int | None = None
    """What stands behind each text that one trains on."""
    stops: tuple[int, ...] = ()
    """At which of them a generation is over: mostly `end`, and others beside it."""
    pad: int | None = None
    """What fills up the rows of a batch."""

    def named(self) -> dict[str, int]:
        """Every id that is there, by the name of its field, stops numbered."""
        stops = {f"stops[{place}]": id for place, id in enumerate(self.stops)}
        single = {"start": self.start, "end": self.end, "pad": self.pad}
        return {name: id for name, id in single.items() if id is not None} | stops

    def check(self, vocab_size: int) -> None:
        """Refuse an id that no token has.

        Raises:
            PellucidError: there is one, by its name.
        """
        for name, id in self.named().items():
            if not 0 <= id < vocab_size:
                raise PellucidError(
                    f"The special token {name}={id} is none of the {vocab_size} tokens: "
                    f"ids go from 0 to {vocab_size - 1}."
                )


def spelled(ids: Mapping[str, int], *, start: int | None) -> SpecialTokens:
    """What the spelling of special tokens says, where nothing else says it.

    Args:
        ids: of each special token.
        start: the id that prompts get.
    """
    end = next((ids[token] for token in ENDS if token in ids), None)
    pad = next((ids[token] for token in PADS if token in ids), None)
    return SpecialTokens(start=start, end=end, stops=() if end is None else (end,), pad=pad)


def read_special_tokens(content: bytes) -> SpecialTokens:
    """Special tokens out of JSON.

    Raises:
        PellucidError: it is none, or says something else.
    """
    try:
        return msgspec.json.decode(content, type=SpecialTokens)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PellucidError(f"it does not hold special tokens: {error}.") from None


def written(special: SpecialTokens) -> bytes:
    """Special tokens as JSON, a line each."""
    content: Any = msgspec.json.format(msgspec.json.encode(special))
    return bytes(content) + b"\n"
