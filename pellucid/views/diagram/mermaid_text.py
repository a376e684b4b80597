"""A diagram as Mermaid's text, which GitHub and many editors draw by themselves.

Mermaid places boxes in its own way; what is in them and how they are joined is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pellucid.views.diagram.lettering import NO_BREAK, shorten
from pellucid.views.diagram.palette import part_colours
from pellucid.views.diagram.structure import Box, Frame, Structure, shape_words
from pellucid.views.figures.theme import LIGHT
from pellucid.views.labels import clean

MOST_TOKENS, MOST_CHARACTERS = 40, 24
PLAIN = frozenset(f"{NO_BREAK} .,_-+=×·√…≤−∞ᵀΣ→/")
"""Signs that mean nothing to Mermaid, beside letters and digits."""


def to_mermaid(structure: Structure, title: str = "") -> str:
    """A flowchart, from top to bottom."""
    return "\n".join(_Writer(structure).lines(title)) + "\n"


class _Writer:
    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.ids = {box.name: f"n{place}" for place, box in enumerate(structure.boxes)}

    def lines(self, title: str) -> Iterator[str]:
        if title:
            # A string of JSON is one of YAML too; what is in it is shown as it is.
            yield from ("---", f"title: {json.dumps(clean(title), ensure_ascii=False)}", "---")
        yield "flowchart TD"
        if self.structure.tokens:
            yield f'  tokens["{tokens_text(self.structure.tokens)}"]'
        framed: set[str] = set()
        for place, frame in enumerate(self.structure.frames):
            yield from self.frame(f"f{place}", frame)
            framed |= frame.boxes
        for box in self.structure.boxes:
            if box.name not in framed:
                yield f"  {self.box(box)}"
        yield from self.given()
        for line in self.structure.lines:
            yield f"  {self.ids[line.source]} --> {self.ids[line.target]}"
        yield from self.colours()

    def frame(self, key: str, frame: Frame) -> Iterator[str]:
        times = f" × {frame.times:,}" if frame.times > 1 else ""
        yield f'  subgraph {key}["{escaped(frame.title + times)}"]'
        panels = [panel for panel in self.structure.panels if panel.boxes <= frame.boxes]
        inner = frozenset().union(*(panel.boxes for panel in panels))
        for place, panel in enumerate(panels):
            yield f'    subgraph {key}p{place}["{escaped(panel.title)}"]'
            yield from (f"      {self.box(box)}" for box in self.boxes(panel.boxes))
            yield "    end"
        yield from (f"    {self.box(box)}" for box in self.boxes(frame.boxes - inner))
        yield "  end"

    def boxes(self, names: frozenset[str]) -> Iterator[Box]:
        return (box for box in self.structure.boxes if box.name in names)

    def box(self, box: Box) -> str:
        words = [
            f"<b>{escaped(box.title)}</b>",
            escaped(box.label),
            escaped(shape_words(box.shape)),
        ]
        if self.structure.depth == "deep":
            words += map(escaped, box.equations)
        key, inside = self.ids[box.name], "<br/>".join(words)
        return f'{key}(["+ {inside}"])' if box.adds else f'{key}["{inside}"]'

    def colours(self) -> Iterator[str]:
        """Outlines in the colours of a picture."""
        for part, colour in part_colours(LIGHT).items():
            keys = [self.ids[box.name] for box in self.structure.boxes if box.part == part]
            if keys and part not in ("stream", "norm"):
                yield f"  classDef {part} stroke:{colour},stroke-width:2px"
                yield f"  class {','.join(keys)} {part}"

    def given(self) -> Iterator[str]:
        """What a run is given, and learned parameters: each of its own shape."""
        if self.structure.tokens:
            yield "  tokens --> ids"
        for name in dict.fromkeys(name for box in self.structure.boxes for name in box.inputs):
            yield f'  {name}(("{name}"))'
        for box in self.structure.boxes:
            key = self.ids[box.name]
            yield from (f"  {name} --> {key}" for name in box.inputs)
        learned = [(box, each) for box in self.structure.boxes for each in box.parameters]
        keys = {name: f"w{n}" for n, name in enumerate(dict.fromkeys(p.name for _, p in learned))}
        shown = {
            each.name: f"{each.label}<br/>{escaped(shape_words(each.shape))}" for _, each in learned
        }
        yield from (f'  {keys[name]}[/"{words}"/]' for name, words in shown.items())
        yield from (f"  {keys[each.name]} -.-> {self.ids[box.name]}" for box, each in learned)


def tokens_text(tokens: tuple[str, ...]) -> str:
    """The prompt's tokens, one after the other."""
    shown = [escaped(shorten(token, MOST_CHARACTERS)) for token in tokens[:MOST_TOKENS]]
    more = len(tokens) - len(shown)
    return " | ".join(shown) + (f" … {more:,} more" if more else "")


def escaped(words: str) -> str:
    """Words of which Mermaid takes no sign for its own: others as entity codes, `#35;`."""
    return "".join(
        character if character.isalnum() or character in PLAIN else f"#{ord(character)};"
        for character in words
    )
