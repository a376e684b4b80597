"""Above and below a diagram: a title and tokens that keep to its width, and a key to its signs."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.views.diagram import diagram
from pellucid.views.diagram.lettering import STYLES
from pellucid.views.diagram.margins import fitting
from pellucid.views.diagram.picture import Group, Path, Rect, Text
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import DEPTHS

PROMPTS = {
    "one": ["a"],
    "few": ["<START>", "i", "am", "groot"],
    "many": [f"w{place}" for place in range(1024)],
    "wide": ["日本語" * 30, "x" * 5000, "W" * 24] * 9,
}


@pytest.fixture(params=[(prompt, depth) for prompt in PROMPTS for depth in DEPTHS])
def drawn(request):
    prompt, depth = request.param
    graph = build_graph(SMALL.replace(block_size=1024))
    return diagram(graph, depth=depth, tokens=PROMPTS[prompt], title="A long title " * 20)


def chips(drawn):
    """The rectangle, the word and the number of each token that is shown."""
    groups = [shape for shape in drawn.picture.shapes if isinstance(shape, Group)]
    return [group.shapes for group in groups if group.says.startswith("position ")]


def test_tokens_stand_side_by_side_within_the_page(drawn):
    right = 0.0
    for rect, word, _ in chips(drawn):
        half = STYLES["token"].width(word.text) / 2
        assert rect.x >= right
        assert rect.x <= word.x - half
        assert word.x + half <= rect.x + rect.width
        right = rect.x + rect.width
    assert right <= drawn.picture.width


def test_tokens_are_numbered_and_those_left_out_are_counted(drawn):
    numbers = [int(number.text) for _, _, number in chips(drawn)]
    count = len(drawn.structure.tokens)
    assert numbers[0] == 0
    words = [
        each.text
        for shape in drawn.picture.shapes
        if isinstance(shape, Group) and shape.says.startswith("… ")
        for each in shape.shapes
        if isinstance(each, Text)
    ]
    left_out = sum(int(text.split()[1].replace(",", "")) for text in words)
    assert len(numbers) + left_out == count


def test_an_arrow_leads_from_the_tokens_to_the_ids(drawn):
    bottom = max(number.y for _, _, number in chips(drawn))
    (ids,) = (
        shape
        for group in drawn.picture.shapes
        if isinstance(group, Group) and group.name == "embed.tokens"
        for shape in group.shapes
        if isinstance(shape, Rect) and shape.role == "pill"
    )
    end = (ids.x + ids.width / 2, ids.y)
    arrows = [s for s in drawn.picture.shapes if isinstance(s, Path) and s.arrow]
    (arrow,) = (each for each in arrows if each.points[-1] == pytest.approx(end))
    assert bottom < arrow.points[0][1] < arrow.points[1][1]


def test_a_long_title_is_shortened_to_the_width(drawn):
    texts = [shape for shape in drawn.picture.shapes if isinstance(shape, Text)]
    (title,) = (text for text in texts if text.style == "heading")
    assert "…" in title.text
    assert title.x + STYLES["heading"].width(title.text) <= drawn.picture.width


def test_as_many_tokens_are_shown_as_there_is_room_for():
    assert fitting([20.0] * 4, 200).whole
    assert fitting([20.0] * 100, 600).indices == (*range(14), 96, 97, 98, 99)


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_key_explains_what_is_there(depth):
    page = diagram(build_graph(SMALL), depth=depth).picture
    captions = [s.text for s in page.shapes if isinstance(s, Text) and s.style == "caption"]
    said = " ".join(captions)
    assert ("learned parameters" in said) == (depth == "deep")
    assert "position: as long as the text, at most 6." in said
