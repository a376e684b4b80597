"""How tokens, numbers and paragraphs are put into words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pellucid.trace.tensor import TracedTensor
from pellucid.views.markup import escape
from pellucid.views.scene import Prose


def prose(text: str) -> Prose:
    """One paragraph, however it was broken into lines."""
    return Prose(" ".join(text.split()))


def see(text: str) -> Prose:
    """What a reader is to notice in the view above."""
    return prose(f"**What to see.** {text}")


def quoted(label: str) -> str:
    """A token in quotation marks, its characters kept from being read as markup."""
    return f'"{escape(label)}"'


def typed(text: str, label: str | None = None) -> str:
    """A text in quotation marks that is followed instead of the tour's own: a page can run it.

    `label` is how it reads, where its special tokens are written out.
    """
    target = re.sub(r"([\s\\()\[\]])", r"\\\1", text)
    shown = text if label is None else label
    return f'["{escape(shown)}"](text:{target})' if text else quoted(shown)


def number(value: float) -> str:
    """A number with three decimals, as the matrices show it."""
    return f"{value:.3f}"


def nats(value: float) -> str:
    """A loss or an entropy."""
    return f"{value:.4f} nats"


def percent(share: float) -> str:
    """A share of 1 as a percentage; what is nearly none or nearly all of it says so."""
    if 0 < share < 0.0005:
        return "<0.1%"
    return ">99.9%" if 0.9995 <= share < 1 else f"{100 * share:.1f}%"


def share_of_all(share: float) -> str:
    """The same within a sentence: "more than 99.9%"."""
    return percent(share).replace("<", "less than ").replace(">", "more than ")


def cell(tensor: TracedTensor, *index: int) -> str:
    """A number that stands in a tensor, as a link to its place there: a page can keep it live."""
    return linked(number(float(tensor.values[index])), tensor, index)


def share_cell(tensor: TracedTensor, *index: int) -> str:
    """The same as a share of 1; of one that is nearly none or nearly all, words alone."""
    share = float(tensor.values[index])
    text = percent(share)
    return linked(text, tensor, index) if text[0].isdecimal() else share_of_all(share)


def linked(text: str, tensor: TracedTensor, index: Sequence[int]) -> str:
    """Words that lead to a cell: `[1.830](blocks.0.attn.scores[0,2,1])`."""
    sizes = zip(index, tensor.shape, strict=True)
    places = ",".join(str(place % size) for place, size in sizes)
    return f"[{text}]({tensor.name}[{places}])"


def tiny(value: float) -> str:
    """A very small number by its first digit and its power of ten: "3e-6"; "0" for nothing."""
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}" if value else "0"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """So many of something: "1 pair", "76 pairs"."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them: "a, b and c"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def shape(sizes: Sequence[int]) -> str:
    """The sizes of a tensor: "4 × 8"; of a single number, "1"."""
    return " × ".join(f"{size:,}" for size in sizes) or "1"
