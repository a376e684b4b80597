"""What shows a thing is found by the name of the medium."""

import subprocess
import sys

from pellucid.showing import to_text
from pellucid.views import terminal
from tests.traces import trace_of


def test_a_trace_is_shown_as_its_renderer_shows_it():
    trace = trace_of("baby-groot")
    assert to_text(trace) == terminal.to_text(trace) == repr(trace)


def test_no_renderer_is_loaded_before_something_is_shown():
    code = "import sys, pellucid.showing; print('pellucid.views' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
