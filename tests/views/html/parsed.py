"""HTML read strictly, as no browser does: whatever it would put right is an error here."""

from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

VOID = {"br", "col", "hr", "img", "link", "meta"}
FORBIDDEN = {"script", "iframe", "object", "embed", "form", "base"}
NAMESPACES = {
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/1998/Math/MathML",
}


class Reader(HTMLParser):
    """Builds a tree, and refuses what could run, or be fetched, or stands open."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.builder = TreeBuilder()
        self.open = []
        self.ids = set()

    def handle_starttag(self, tag, attrs):
        assert tag not in FORBIDDEN, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert value is not None, f"{name} of {tag} has no value"
            address = value.strip().lower()
            assert not address.startswith(("javascript:", "data:text")), value
            assert "://" not in address or value in NAMESPACES or name in TEXTS, value
            if name == "id":
                assert value not in self.ids, f"two elements are called {value}"
                self.ids.add(value)
        self.builder.start(tag, dict(attrs))
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open[-1:] == [tag], f"</{tag}> within {self.open}"
        self.open.pop()
        self.builder.end(tag)

    def handle_data(self, data):
        self.builder.data(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


TEXTS = {"title", "aria-label"}
"""Attributes that hold words."""


def parsed(html: str) -> Element:
    """The element around everything. Every reference to an id is to one that is there."""
    assert not any("\ud800" <= character <= "\udfff" for character in html)
    reader = Reader()
    reader.feed(f"<all>{html}</all>")
    reader.close()
    assert not reader.open
    root = reader.builder.close()
    for element in root.iter():
        for name in ("href", "xlink:href"):
            target = element.get(name, "")
            if target and not target.startswith("data:image/png;base64,"):
                assert target.removeprefix("#") in reader.ids, target
    return root


def words(element: Element) -> str:
    """What can be read in an element, style sheets left out."""
    return "".join(pieces(element))


def pieces(element):
    if element.tag != "style":
        yield element.text or ""
        for child in element:
            yield from pieces(child)
            yield child.tail or ""


def by_class(root, name):
    """The elements of a class, in order."""
    return [each for each in root.iter() if name in each.get("class", "").split()]


def cells(table):
    """The words of every cell, row by row."""
    return [[words(cell) for cell in row] for row in table.iter("tr")]
