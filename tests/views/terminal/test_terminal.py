"""The front of the terminal's views: text of anything, to any output."""

import io
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from pellucid.views import terminal
from pellucid.views.scene import Heading, Prose
from tests.small_models import OPTIONS, small_model


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("width", [80, 160])
def test_all_that_is_in_a_trace_prints_within_the_width(option, width):
    trace = small_model(option).trace(ids=[1, 4, 2, 4, 0], target="next")
    things = [trace, *(trace[name] for name in (*trace.names, *trace.parameters))]
    for thing in (*things, *trace.grad.values()):
        lines = terminal.to_text(thing, width=width).splitlines()
        assert max(map(cell_len, lines)) <= width
        assert not any(line.endswith(" ") for line in lines)


def test_a_trace_and_its_tensors_print_themselves():
    trace = small_model().trace(ids=[1, 2, 3])
    assert repr(trace).startswith("Trace of 3 tokens: 1 2 3\n")
    pattern = trace["blocks.0.attn.pattern"]
    assert pattern.title in repr(pattern)
    assert f"{pattern.values[3, 2, 1]:.3f}" in repr(pattern)


def test_show_prints_what_to_text_says():
    blocks = [Heading("Part 1"), Prose("Words.")]
    file = io.StringIO()
    terminal.show(blocks, Console(file=file, width=70))
    assert file.getvalue() == terminal.to_text(blocks, width=70) + "\n"


def test_text_is_as_wide_as_the_terminal(monkeypatch):
    for columns, width in (("60", 60), ("120", 88)):
        monkeypatch.setenv("COLUMNS", columns)
        assert cell_len(terminal.to_text(Heading("Part")).splitlines()[1]) == width


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
@pytest.mark.parametrize("call", ["print(tensor)", "show(tensor)"])
def test_any_output_encoding_can_take_it(encoding, call):
    code = f"""
from pellucid.views.terminal import show
from tests.small_models import small_model
tensor = small_model().trace(ids=[1, 2])["blocks.0.attn.masked_scores"]
{call}
"""
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONIOENCODING": encoding, "PYTHONPATH": "."},
        capture_output=True,
        check=True,
    ).stdout.decode(encoding)
    assert ("−∞" if encoding == "utf-8" else "-inf") in out
