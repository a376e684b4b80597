"""Words as HTML: headings, paragraphs, formulas, listings, captions and notes."""

from __future__ import annotations

from pellucid.views import markup
from pellucid.views.html.element import Html, element, joined
from pellucid.views.html.formula import formula
from pellucid.views.html.sheet import Sheet
from pellucid.views.html.words import running, spans
from pellucid.views.labels import clean
from pellucid.views.scene import Equation, Heading, Listing, Prose


def draw_heading(heading: Heading, sheet: Sheet, *, id: str | None = None) -> Html:
    """A heading of the document; in a notebook's output, words that look like one."""
    if sheet.outline is None:
        return element("p", running(heading.text), class_=f"heading level-{heading.level}")
    level = min(sheet.outline + heading.level - 1, 6)
    return element(f"h{level}", running(heading.text), id=id)


def draw_prose(prose: Prose, sheet: Sheet) -> Html:
    """A `p` for each paragraph."""
    return joined(element("p", spans(paragraph, sheet)) for paragraph in prose.paragraphs)


def draw_equation(equation: Equation) -> Html:
    """A formula set as one, or its lines as they were written where there is no LaTeX of it."""
    if equation.latex:
        return element("div", formula(equation.latex), class_="formula")
    lines = "\n".join(clean(line) for line in equation.plain.splitlines())
    return element("pre", lines, class_="formula")


def draw_listing(listing: Listing, sheet: Sheet) -> Html:
    """Text that keeps its own lines and columns."""
    lines = "\n".join(clean(line) for line in listing.text.expandtabs(4).splitlines())
    return captioned(listing.title, element("pre", lines), sheet=sheet)


def captioned(
    title: str | None,
    *content: str,
    sheet: Sheet,
    name: str | None = None,
    equation: Equation | None = None,
    notes: tuple[str, ...] = (),
    **attributes: str | None,
) -> Html:
    """A block under its title, its tensor's name and its formula, with notes below it."""
    words = [running(title)] if title else []
    if name and name != title:
        words += [" ", element("code", running(name))]
    over = [element("figcaption", *words)] if words else []
    if equation is not None:
        over.append(draw_equation(equation))
    under = [
        element("p", spans(markup.spans(note), sheet), class_="note") for note in notes if note
    ]
    return element("figure", *over, *content, *under, **attributes)
