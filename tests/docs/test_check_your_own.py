"""docs/check-your-own.md shows what really happens."""

import re
import textwrap

import pytest

from tests.docs.replay import BLOCK, EXAMPLES, ROOT, replay

PAGE = (ROOT / "docs" / "check-your-own.md").read_text("utf-8")
NUMBER = re.compile(r"(?<![\w.])−?(∞|[\d.,]*\d(e−?\d+)?%?)(?!\w|\.\w)")
NOISE = re.compile(
    r"(?<=rounding explains every difference)\..*?(?=```)|(?<=  rounding )[^\n]*", re.DOTALL
)


def essence(page):
    """Words without the numbers: digits depend on the machine, and so does all that is noise."""
    return NUMBER.sub("#", re.sub(r"[\s─]+", " ", NOISE.sub("", page)))


@pytest.mark.slow
def test_the_output_is_what_the_commands_print(tmp_path):
    assert essence(replay(PAGE, tmp_path)) == essence(PAGE)


def test_the_lines_that_are_quoted_are_those_of_the_program():
    program = (EXAMPLES / "own_gpt.py").read_text("utf-8")
    quoted = [
        text for kind, text in BLOCK.findall(PAGE) if "import" not in text and kind != "console"
    ]
    assert len(quoted) == 4
    for text in quoted:
        indents = (textwrap.indent(text, " " * 4 * depth) for depth in range(1, 4))
        assert any(indented in program for indented in indents), text
