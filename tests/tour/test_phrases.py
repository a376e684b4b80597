"""Tokens, numbers and paragraphs in words."""

import pytest

import pellucid
from pellucid.tour.phrases import (
    cell,
    count,
    listed,
    percent,
    prose,
    quoted,
    see,
    shape,
    share_cell,
    tiny,
)
from pellucid.views.markup import spans
from tests.tour.scenes import words


def test_a_paragraph_is_one_however_it_was_broken():
    assert prose("\n   one\n\n   two\n  ").text == "one two"
    assert words([see("this")]) == "What to see. this"


@pytest.mark.parametrize("label", ["groot", "*", "[a](b)", "`c`", "\\", "**x**"])
def test_a_token_reads_as_it_is_written(label):
    assert words([prose(f"after {quoted(label)}.")]) == f'after "{label}".'


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0.0%"),
        (0.0004, "<0.1%"),
        (0.0006, "0.1%"),
        (1 / 3, "33.3%"),
        (0.999, "99.9%"),
        (0.99951, ">99.9%"),
        (1.0, "100.0%"),
    ],
)
def test_only_nothing_and_all_are_0_and_100_percent(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (3.2e-6, "3e-6"), (9.9e-17, "1e-16")])
def test_a_tiny_number_is_one_digit_and_a_power(value, text):
    assert tiny(value) == text


def test_counts_lists_and_shapes():
    assert (count(1, "pair"), count(1234, "pair")) == ("1 pair", "1,234 pairs")
    assert count(2, "batch", "batches") == "2 batches"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert (shape((4, 8)), shape(())) == ("4 × 8", "1")


def test_a_number_of_a_tensor_leads_to_its_place():
    trace = pellucid.load("baby-groot").trace("i am groot")
    scores, pattern = trace["blocks.0.attn.scores"], trace["blocks.0.attn.pattern"]
    (span,) = spans(cell(scores, 0, -1, 1))
    assert (span.kind, span.target) == ("link", "blocks.0.attn.scores[0,3,1]")
    assert span.text == f"{scores.values[0, 3, 1]:.3f}"
    (span,) = spans(share_cell(pattern, 0, 2, 1))
    assert span.target == "blocks.0.attn.pattern[0,2,1]"
    assert span.text == percent(pattern.values[0, 2, 1])
    # Nearly none is said in words, which no page could keep live.
    assert share_cell(trace["probs"], -1, 1) == "less than 0.1%"
