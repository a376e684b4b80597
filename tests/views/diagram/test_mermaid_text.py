"""Mermaid: every box and every line once, and no text that it could take for its own signs."""

import re

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.views.diagram import diagram
from pellucid.views.diagram.mermaid_text import escaped
from tests.small_models import SMALL
from tests.views.diagram.drawn_graphs import CASES, drawn_graph

BOX = re.compile(r'^ +(n\d+)(?:\(\[|\[)"(.*)"(?:\]\)|\])$', re.MULTILINE)
LINE = re.compile(r"^  (n\d+) --> (n\d+)$", re.MULTILINE)


@pytest.mark.parametrize(("name", "depth"), CASES)
def test_every_box_and_line_is_there_once(name, depth):
    _, found = drawn_graph(name, depth)
    written = found.mermaid()
    keys = [key for key, _ in BOX.findall(written)]
    assert len(keys) == len(set(keys)) == len(found.structure.boxes)
    names = {f"n{place}": box.name for place, box in enumerate(found.structure.boxes)}
    lines = [(names[source], names[target]) for source, target in LINE.findall(written)]
    assert lines == [(line.source, line.target) for line in found.structure.lines]
    for key, words in BOX.findall(written):
        assert escaped(found.structure.by_name[names[key]].label) in words


@pytest.mark.parametrize(("name", "depth"), CASES)
def test_what_is_given_and_learned_is_joined_to_what_reads_it(name, depth):
    _, found = drawn_graph(name, depth)
    written = found.mermaid()
    for place, box in enumerate(found.structure.boxes):
        for given in box.inputs:
            assert f"  {given} --> n{place}\n" in written
    learned = re.findall(r"^  w\d+ -.-> n(\d+)$", written, re.MULTILINE)
    wanted = [str(place) for place, box in enumerate(found.structure.boxes) for _ in box.parameters]
    assert learned == wanted


def test_every_frame_is_closed():
    _, found = drawn_graph("dropout", "deep")
    written = found.mermaid()
    assert written.count("subgraph ") == len(re.findall("^ +end$", written, re.MULTILINE)) == 3


def test_hostile_tokens_are_codes():
    hostile = ('"]', "<script>", "%%{init}%%", "end", "\n")
    written = diagram(build_graph(SMALL), tokens=hostile, title='"\n---').mermaid()
    (tokens,) = (line for line in written.splitlines() if line.startswith("  tokens["))
    inside = tokens.removeprefix('  tokens["').removesuffix('"]')
    assert not re.search(r'["<>%{}\[\]]', inside.replace(" | ", ""))
    assert written.splitlines()[:3] == ["---", 'title: "\\"↵---"', "---"]


def test_a_character_with_a_meaning_is_written_by_its_number():
    assert escaped('a"b#c') == "a#34;b#35;c"
