"""Inline markup: what it marks, and that text which is not ours passes through untouched."""

from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.markup import Span, escape, spans


def test_each_mark_gives_its_span():
    assert spans("The [scores](blocks.0.attn.scores) are **raw**: `q · k`.") == (
        Span("The "),
        Span("scores", "link", "blocks.0.attn.scores"),
        Span(" are "),
        Span("raw", "bold"),
        Span(": "),
        Span("q · k", "code"),
        Span("."),
    )


@given(st.text())
def test_escaped_text_reads_as_it_was_written(text):
    assert spans(escape(text)) == ((Span(text),) if text else ())


@given(st.text(alphabet="ab*`[]()\\", min_size=1), st.sampled_from(["bold", "code", "link"]))
def test_escaped_text_inside_marks_reads_as_it_was_written(text, kind):
    marks = {"bold": "**{}**", "code": "`{}`", "link": "[{}](logits)"}
    target = "logits" if kind == "link" else None
    assert spans(marks[kind].format(escape(text))) == (Span(text, kind, target),)


def test_marks_that_do_not_close_are_text():
    for text in ("2 * 3 ** 4", "a ` b", "[words] (far)", "[words](two words)", "](", "**"):
        assert spans(text) == (Span(text),)
