"""A diagram as text: a rail for each chain, as version-control logs are drawn, and words beside it.

The stream is the first rail. What leaves it turns right, runs down a rail of its own, and returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from pellucid.views.diagram.grid import Grid
from pellucid.views.diagram.lettering import NO_BREAK, shorten
from pellucid.views.diagram.rails import PLAIN, Rails
from pellucid.views.diagram.structure import Box, Frame, Line, shape_words
from pellucid.views.labels import clean
from pellucid.views.selection import Selection
from pellucid.views.terminal.ascii import drawn, spelt
from pellucid.views.terminal.labels import fit

STEP, ADDITION = "●", "⊕"
INSET = 2
"""Columns to the left of the spine, a frame's side among them; as many to the right of words."""
STRIDE = 3
"""From one rail to the next."""
LEAST_TITLE = 34
"""Where titles would have fewer columns than this, shapes stand below them."""
LEAST_ROOM = 24
MOST_TOKENS, MOST_CHARACTERS = 24, 24


def to_text(grid: Grid, title: str = "", *, width: int = 80, encoding: str = "utf-8") -> str:
    """Lines of at most `width` columns, in characters that `encoding` has."""
    page = _Page(grid, width, encoding)
    return "".join(f"{line.rstrip()}\n" for line in page.lines(title))


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: its words, or the frame that begins or ends on it."""

    words: str = ""
    opens: Frame | None = None
    closes: bool = False


class _Page:
    def __init__(self, grid: Grid, width: int, encoding: str) -> None:
        self.grid = grid
        self.structure = grid.structure
        self.encoding = encoding
        self.rail_width = STRIDE * (grid.columns - 1) + 1
        self.room = max(width - 2 * INSET - self.rail_width - 2, LEAST_ROOM)
        boxes = self.structure.boxes
        self.label_width = max(cell_len(box.label) for box in boxes) + 2
        shape_width = max(cell_len(self.spelt(shape_words(box.shape))) for box in boxes) + 2
        longest = max(cell_len(self.spelt(line)) for box in boxes for line in self.says(box))
        beside = self.room - self.label_width - shape_width
        self.shape_width = shape_width if beside >= LEAST_TITLE else 0
        # A frame is no wider than what is in it.
        self.room = min(self.room, self.label_width + self.shape_width + longest)
        self.lines_at: dict[str, int] = {}
        self.bus_at: dict[int, int] = {}
        self.plan = list(self.planned())

    def spelt(self, text: str) -> str:
        return spelt(text.replace(NO_BREAK, " "), self.encoding)

    def lines(self, title: str) -> Iterator[str]:
        width = self.room + 2 * INSET + self.rail_width + 2
        if title:
            yield from (fit(self.spelt(clean(title)), width), "")
        if self.structure.tokens:
            yield from (*wrapped(self.prompt(), width), "")
        rails = self.rails()
        framed = False
        for number, line in enumerate(self.plan):
            signs = "".join(rails.sign(number, x) for x in range(self.rail_width))
            if line.opens is not None or line.closes:
                framed = line.opens is not None
                yield self.written(self.border(line.opens, signs, width))
                continue
            side = "│" if framed else " "
            yield self.written(f"{side} {signs}  {fit(line.words, self.room)} {side}")

    def written(self, line: str) -> str:
        """A drawn line in the signs that the output has."""
        if self.encoding.lower().startswith("utf"):
            return line
        return drawn(line.translate(PLAIN), self.encoding)

    def border(self, frame: Frame | None, signs: str, width: int) -> str:
        """The upper side of a frame with its title, or the lower side of one; rails go through."""
        rails = "".join("┼" if sign == "│" else "─" for sign in signs)
        if frame is None:
            return f"╰─{rails}{'─' * (width - len(rails) - 3)}╯"
        times = f" × {frame.times:,} " if frame.times > 1 else ""
        left, right = f"╭─{rails}── {frame.title} ", f"{self.spelt(times)}─╮"
        return f"{left}{'─' * (width - cell_len(left) - cell_len(right))}{right}"

    def planned(self) -> Iterator[_Line]:
        """Every line in order; notes on which line each box has its mark, and lines go across."""
        opens = {self.rows_of(frame)[0]: frame for frame in self.structure.frames}
        ends = {self.rows_of(frame)[1] for frame in self.structure.frames}
        crossed = {self.grid.places[line.source].row + 1 for line in self.leaving()}
        number = 0
        for row, boxes in enumerate(self.grid.boxes_in_row):
            found = [_Line(opens=opens[row])] if row in opens else []
            if row in crossed:
                self.bus_at[row] = number + len(found)
            if row in crossed or (row and not found):
                found.append(_Line())
            for box in boxes:
                self.lines_at[box.name] = number + len(found)
                found += [_Line(words) for words in self.words(box)]
            if row in ends:
                found.append(_Line(closes=True))
            number += len(found)
            yield from found

    def rows_of(self, frame: Frame) -> tuple[int, int]:
        rows = [self.grid.places[name].row for name in frame.boxes]
        return min(rows), max(rows)

    def leaving(self) -> Iterator[Line]:
        """Lines that go to a chain further right."""
        for line in self.structure.lines:
            if self.grid.places[line.source].column < self.grid.places[line.target].column:
                yield line

    def rails(self) -> Rails:
        """The drawing, one column of signs for each rail and two between."""
        rails = Rails()
        for line in self.structure.lines:
            here, there = self.grid.places[line.source], self.grid.places[line.target]
            x, to = STRIDE * here.column, STRIDE * there.column
            start, end = self.lines_at[line.source], self.lines_at[line.target]
            if here.column < there.column:
                across = self.bus_at[here.row + 1]
                rails.down(x, start, across)
                rails.across(across, x, to)
                rails.down(to, across, end)
            else:
                rails.down(x, start, end)
                rails.across(end, to, x)
        for box in self.structure.boxes:
            x = STRIDE * self.grid.places[box.name].column
            rails.marks[self.lines_at[box.name], x] = ADDITION if box.adds else STEP
        return rails

    def words(self, box: Box) -> list[str]:
        """What is written beside a mark, in columns; the label in the first line alone."""
        width = self.room - self.label_width - self.shape_width
        says = [self.spelt(line) for line in self.says(box)]
        if not self.shape_width:
            says.insert(1, self.spelt(shape_words(box.shape)))
        if cell_len(says[0]) > width:
            says[:1] = [f"{box.title}:", box.note] if box.note else says[:1]
        written = [line for each in says for line in wrapped(each, width)]
        shape = self.spelt(shape_words(box.shape)) if self.shape_width else ""
        before = fit(box.label, self.label_width) + fit(shape, self.shape_width)
        blank = " " * (self.label_width + self.shape_width)
        return [f"{blank if place else before}{line}" for place, line in enumerate(written)]

    def says(self, box: Box) -> Iterator[str]:
        """What is said of a box, line by line."""
        yield f"{box.title}: {box.note}" if box.note else box.title
        if box.inside:
            yield f"inside: {', '.join(map(str, box.inside))}"
        if self.structure.depth == "deep":
            yield from box.equations
            yield from (each.words for each in box.parameters)
        if box.inputs:
            yield f"← {', '.join(box.inputs)}"

    def prompt(self) -> str:
        """The prompt's tokens in one line."""
        tokens = self.structure.tokens
        shown = Selection.of(len(tokens), MOST_TOKENS)
        words = [shorten(self.spelt(tokens[place]), MOST_CHARACTERS) for place in shown.indices]
        if not shown.whole:
            words.insert(shown.first, "…")
        count = f"{len(tokens):,} tokens" if len(tokens) > 1 else "1 token"
        return self.spelt(f"{count}: {' | '.join(words)}")


def wrapped(text: str, width: int) -> Sequence[str]:
    """Lines of at most so many columns, broken at spaces where there are any."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines += [fit(word, width).rstrip()] if lines[-1] else []
            lines[-1] = fit(word, width).rstrip()
    return lines
