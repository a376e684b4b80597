"""Diagrams as text: within the width, and rails that lead from every box to its readers."""

import pytest
from rich.cells import cell_len

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.presets import PRESETS
from pellucid.views.diagram import diagram
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import CASES, DEPTHS, drawn_graph

EACH = pytest.mark.parametrize(("name", "depth"), CASES)
GOES = {
    **{"│": "ud", "─": "lr", "╭": "dr", "╮": "dl", "╰": "ur", "╯": "ul", "├": "udr", "┤": "udl"},
    **{"┬": "lrd", "┴": "lru", "┼": "ud", "●": "udr", "⊕": "udr"},
}
"""The sides on which a sign goes on. Rails cross nothing but a frame, straight through its side."""
STEPS = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}
BACK = {"u": "d", "d": "u", "l": "r", "r": "l"}
MARKS = "●⊕"


def followed(lines, line, x):
    """The marks that the rails lead to from one: down, and never up."""
    found, waiting, seen = set(), [(line + 1, x, "u")], set()
    while waiting:
        line, x, came = waiting.pop()
        sign = lines[line][x] if line < len(lines) and x < len(lines[line]) else " "
        if (line, x, came) in seen or came not in GOES.get(sign, ""):
            continue
        seen.add((line, x, came))
        if sign in MARKS:
            found.add((line, x))
            continue
        for side in GOES[sign]:
            if side not in (came, "u"):
                waiting.append((line + STEPS[side][0], x + STEPS[side][1], BACK[side]))
    return found


def marks_of(found, lines):
    """The box of each mark, by its place: boxes are named beside their marks."""
    names = {}
    columns = {3 * place.column + 2 for place in found.grid.places.values()}
    boxes = iter(
        sorted(
            found.structure.boxes,
            key=lambda box: (found.grid.places[box.name].row, found.grid.places[box.name].column),
        )
    )
    for number, line in enumerate(lines):
        marked = [x for x, sign in enumerate(line) if sign in MARKS and x in columns]
        if marked:
            (x,) = marked
            box = next(boxes)
            assert f" {box.label} " in f"{line} "
            names[number, x] = box.name
    assert next(boxes, None) is None
    return names


@EACH
@pytest.mark.parametrize("width", [80, 160])
def test_the_rails_lead_from_every_box_to_its_readers_and_nowhere_else(name, depth, width):
    _, found = drawn_graph(name, depth)
    lines = found.text(width=width).splitlines()
    names = marks_of(found, lines)
    led = {
        (box, names[end]) for (line, x), box in names.items() for end in followed(lines, line, x)
    }
    assert led == {(line.source, line.target) for line in found.structure.lines}


@EACH
@pytest.mark.parametrize("width", [80, 160])
def test_no_line_is_wider_than_the_page(name, depth, width):
    _, found = drawn_graph(name, depth)
    lines = found.text(width=width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert not any("…" in line for line in lines if " … blocks." not in line)


@pytest.mark.parametrize("depth", DEPTHS)
def test_in_a_frame_the_right_side_is_straight(depth):
    _, found = drawn_graph("preset gpt2", depth)
    lines = found.text().splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("╭"))
    last = next(place for place, line in enumerate(lines) if line.startswith("╰"))
    assert {len(line) for line in lines[first : last + 1]} == {len(lines[first])}
    assert all(line.endswith(("│", "╮", "╯")) for line in lines[first : last + 1])
    assert " blocks.0 … blocks.11 " in lines[first]
    assert " × 12 " in lines[first]


@pytest.mark.parametrize("depth", DEPTHS)
def test_an_output_without_unicode_gets_plain_signs(depth):
    _, found = drawn_graph("preset gpt2", depth)
    written = found.text(encoding="ascii")
    assert written.isascii()
    assert "?" not in written
    assert all(len(line) <= 80 for line in written.splitlines())


def test_every_word_of_a_box_is_there():
    _, found = drawn_graph("dropout", "deep")
    written = found.text(width=200)
    for box in found.structure.boxes:
        for equation in box.equations:
            assert equation in written
        for parameter in box.parameters:
            assert parameter.words.replace("\u00a0", " ") in written


def test_tokens_stand_above():
    graph = build_graph(PRESETS["baby-groot"])
    written = diagram(graph, tokens=["<START>", "i", "am", "groot"], title="baby-groot").text()
    assert written.splitlines()[:3] == ["baby-groot", "", "4 tokens: <START> | i | am | groot"]


def test_hostile_tokens_keep_to_the_page():
    hostile = ["\n", "x" * 5000, "\x1b[31m", "日本" * 40, "\u202e", "e\u0301"]
    written = diagram(build_graph(SMALL), tokens=hostile).text()
    assert all(cell_len(line) <= 80 for line in written.splitlines())
    assert "\x1b" not in written
    assert "\u202e" not in written


def test_many_tokens_are_counted_and_the_first_and_last_shown():
    config = SMALL.replace(block_size=1024)
    written = diagram(build_graph(config), tokens=[f"w{i}" for i in range(1024)]).text()
    assert written.startswith("1,024 tokens: w0 | w1 | ")
    assert "w1023" in written
    assert "w500" not in written
