"""Words on a terminal: headings, prose, equations, listings, captions and remarks."""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from pellucid.views import markup
from pellucid.views.labels import clean
from pellucid.views.scene import Equation, Heading, Listing, Prose
from pellucid.views.terminal import theme
from pellucid.views.terminal.labels import fit
from pellucid.views.terminal.page import Lines, Page
from pellucid.views.terminal.wrap import wrap

INDENT = 2
"""How far what is shown stands in from the words about it."""
MEASURE = 88
"""The longest line of prose, however wide the page: longer ones are hard to read."""

_STYLES: dict[markup.SpanKind, Style] = {
    "text": Style.null(),
    "bold": theme.TITLE,
    "code": theme.CODE,
    "link": theme.LINK,
}


def draw_heading(heading: Heading, page: Page) -> Lines:
    """Draw a heading: level 1 over a heavy rule, level 2 over a light one, the rest without."""
    lines = wrap(Text().append(clean(heading.text), theme.TITLE), min(page.width, MEASURE))
    if heading.level == 1:
        return (*lines, Text().append("━" * min(page.width, MEASURE), theme.TITLE))
    if heading.level == 2:
        return (*lines, Text().append("─" * max(line.cell_len for line in lines), theme.RULE))
    return lines


def draw_prose(prose: Prose, page: Page) -> Lines:
    """Draw paragraphs of a readable width with an empty line between them."""
    lines: list[Text] = []
    for paragraph in prose.paragraphs:
        if lines:
            lines.append(Text())
        lines.extend(wrap(styled(paragraph), min(page.width, MEASURE)))
    return tuple(lines)


def draw_equation(equation: Equation, page: Page) -> Lines:
    """Draw a formula, indented, line by line as it was written."""
    return tuple(
        indented(line)
        for written in equation.plain.splitlines()
        for line in wrap(Text().append(clean(written), theme.FORMULA), page.width - INDENT)
    )


def draw_listing(listing: Listing, page: Page) -> Lines:
    """Draw text as it stands. Lines are never broken: a longer one is cut, and ends in `…`."""
    lines = list(caption(listing.title, page))
    for written in listing.text.expandtabs(4).splitlines():
        text = clean(written.rstrip())
        lines.append(Text(fit(text, min(cell_len(text), page.width))))
    return tuple(lines)


def caption(
    title: str | None, page: Page, *, name: str | None = None, formula: str | None = None
) -> Lines:
    """The lines over a block: its title, the name of its tensor, its formula."""
    lines: list[Text] = []
    if title:
        lines.extend(wrap(Text().append(clean(title), theme.TITLE), page.width))
    if name and name != title:
        tail = Text().append(clean(name), theme.QUIET)
        if lines and lines[-1].cell_len + 3 + tail.cell_len <= page.width:
            lines[-1].append("   ").append_text(tail)
        else:
            lines.extend(wrap(tail, page.width))
    if formula:
        lines.extend(draw_equation(Equation(formula), page))
    return tuple(lines)


def remark(text: str, page: Page) -> Lines:
    """A note under a block, in quiet type; it may hold the marks of prose."""
    line = styled(markup.spans(text))
    line.stylize_before(theme.QUIET)
    return tuple(indented(part) for part in wrap(line, min(page.width, MEASURE) - INDENT))


def styled(spans: tuple[markup.Span, ...]) -> Text:
    """One paragraph as a single styled line, its control characters spelt out."""
    line = Text()
    for span in spans:
        line.append(clean(span.text), _STYLES[span.kind])
    return line


def indented(line: Text) -> Text:
    """The line, moved in by the indent."""
    return Text(" " * INDENT).append_text(line)
