"""A flow on a terminal: who gives at the left, who takes at the right, lines as wide as weights."""

from __future__ import annotations

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from pellucid.views.flow import Flow, labels_of
from pellucid.views.labels import label
from pellucid.views.numbers import percent
from pellucid.views.terminal import theme
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.links import WIDEST, Link, draw_links, sample
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.prose import INDENT, caption, remark

MOST_TOKENS = 12
"""A longer flow is shortened to its last so many: more lines could not be followed."""
FAINT = 0.05
"""Below this share of the scale no line is drawn."""
_ROWS = 24
"""How many rows the tokens are spread over, if that leaves at most two between neighbours."""
_LONGEST_LABEL = 16
_WIDEST_CANVAS = 48
_NAMED = 3
"""How many sources of each target are named beside it."""


def draw_flow(flow: Flow, page: Page) -> Lines:
    """Draw the lines, and beside each target the sources that it takes most from."""
    lost, flow = flow.lost, flow.shortened(MOST_TOKENS)
    n_targets, n_sources = flow.weights.shape
    most = max(n_targets, n_sources)
    height = (most - 1) * min(_ROWS // most, 3) + 1
    longest = min(_LONGEST_LABEL, page.width // 6)
    givers = _column(labels_of(flow.sources, n_sources), longest)
    takers = _column(labels_of(flow.targets, n_targets), longest)
    left, right = cell_len(givers[0]), cell_len(takers[0])
    room = page.width - INDENT - left - right - 4
    width = max(min(_WIDEST_CANVAS, room * 2 // 5), 1)
    shares = _shares(flow, givers, room - width)
    canvas = draw_links(_links(flow, height), width, height, page)
    head = fit(f"gives ({flow.sources.dim})", left + width + 2) + f"takes ({flow.targets.dim})"
    lines = [*caption(flow.title, page, name=flow.name)]
    lines.append(Text(" " * INDENT).append(fit(head, page.width - INDENT).rstrip(), theme.QUIET))
    at_left = dict(zip(_rows(n_sources, height), givers, strict=True))
    at_right = dict(zip(_rows(n_targets, height), range(n_targets), strict=True))
    for row, drawn in enumerate(canvas):
        line = Text(" " * INDENT + at_left.get(row, " " * left) + " ").append_text(drawn)
        if row in at_right:
            line.append(f" {takers[at_right[row]]}  ").append(shares[at_right[row]])
        lines.append(line)
    lines.extend(remark(_legend(flow, page), page))
    for note in (lost, flow.note):
        lines.extend(remark(note, page) if note else ())
    return tuple(lines)


def _column(labels: tuple[str, ...], longest: int) -> list[str]:
    """The labels of one side, all of one width."""
    names = [fit(name, min(cell_len(name), longest)) for name in map(label, labels)]
    width = max(map(cell_len, names), default=0)
    return [fit(name, width) for name in names]


def _rows(count: int, height: int) -> list[int]:
    """Where things stand that are spread over a height; a single one in the middle."""
    if count == 1:
        return [(height - 1) // 2]
    return [round(place * (height - 1) / (count - 1)) for place in range(count)]


def _links(flow: Flow, height: int) -> list[Link]:
    """A line for each weight that is not faint, the widest last."""
    n_targets, n_sources = flow.weights.shape
    starts, ends = _rows(n_sources, height), _rows(n_targets, height)
    limit, links = flow.limit, []
    drawn = np.isfinite(flow.weights) & (np.abs(flow.weights) >= FAINT * limit)
    for target, source in zip(*np.nonzero(drawn), strict=True):
        weight = float(flow.weights[target, source])
        dots = max(round(abs(weight) / limit * WIDEST), 1)
        style = theme.PROBABILITY if weight > 0 else theme.NEGATIVE
        links.append(Link(starts[source], ends[target], dots, style))
    return sorted(links, key=lambda link: link.dots)


def _shares(flow: Flow, names: list[str], room: int) -> list[str]:
    """For each target its largest weights by source, whole ones only: "72.8% i   16.6% am"."""
    texts = []
    for row in flow.weights:
        order = [i for i in np.argsort(-row, kind="stable")[:_NAMED] if row[i] > 0]
        parts = [f"{percent(float(row[i])):>6} {names[i].rstrip()}" for i in order]
        while cell_len("  ".join(parts)) > room:
            parts.pop()
        texts.append("  ".join(parts))
    return texts


def _legend(flow: Flow, page: Page) -> str:
    """What the widths mean."""
    limit = flow.limit
    parts = [
        f"{sample(dots, page)} {percent(dots / WIDEST * limit)}" for dots in range(1, WIDEST + 1)
    ]
    return f"Widths: {'  '.join(parts)}; not drawn below {percent(FAINT * limit)}."
