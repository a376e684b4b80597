"""The view of a patching asks the question, shows every share, and names the largest."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pellucid.analysis.attribution import attribution_patching
from pellucid.analysis.patch import patch
from pellucid.model.model import Model
from pellucid.ops.figures import figure
from pellucid.text.tokenizer import Tokenizer
from pellucid.views.patching import agreement_blocks, patching_blocks
from pellucid.views.scene import Heading, Matrix, Prose, Table
from pellucid.views.terminal import to_text
from tests.small_models import WORDS, small_config, small_model

PROMPTS: dict[str, Any] = {
    "clean": "oak ash fir",
    "corrupted": "oak elm fir",
    "answer": ("oak", "ash"),
}


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


@pytest.fixture(scope="module")
def heads(model):
    return patch(model, **PROMPTS, places="heads")


def only(kind, blocks):
    (found,) = (block for block in blocks if isinstance(block, kind))
    return found


def words(blocks):
    return " ".join(re.sub(r"[*`\\]", "", b.text) for b in blocks if isinstance(b, Prose))


def test_an_answer_that_is_another_token_with_a_space_before_it_is_told_from_it():
    pairs = Tokenizer.byte_pairs(["a cat a dog"] * 9, vocab_size=275)
    model = Model.from_config(small_config().replace(vocab_size=pairs.vocab_size), tokenizer=pairs)
    ids = ([1, 2], [1, 3])
    said = words(patching_blocks(patch(model, *ids, answer=("cat", "o"))))
    assert "␣cat, with a space before, is another token." in said
    said = words(patching_blocks(patch(model, *ids, answer=(" cat", "o"))))
    assert "with a space before" not in said


def test_both_differences_and_the_tokens_that_differ_are_said(heads):
    blocks = patching_blocks(heads)
    assert only(Heading, blocks).text == "Restoring each head: oak against ash"
    said = words(blocks)
    assert f"oak is ahead of ash by {heads.clean:.4g}".replace("-", "−") in said
    assert f"and by {heads.corrupted:.4g}".replace("-", "−") in said
    assert "Of 4 tokens the prompts differ at position 2 (ash / elm)." in said
    assert "with one head of blocks.i.attn.z from the clean run, each in a run of its own" in said


def test_many_positions_that_differ_are_counted(model):
    found = patch(model, [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6], answer=(7, 8))
    assert "positions 0 (<PAD> / <START>), 1" in words(patching_blocks(found))
    assert ", 2 more." in words(patching_blocks(found))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"places": "stream"}, "with one position of blocks.i.resid_pre from the clean run"),
        ({"places": "stream", "positions": [2]}, "one position of blocks.i.resid_pre from"),
        ({"places": "stream", "together": True}, "all positions of blocks.i.resid_pre from"),
        ({"places": "heads", "positions": [2, 3]}, "blocks.i.attn.z at positions 2, 3 from"),
        ({"places": "heads", "positions": [3]}, "blocks.i.attn.z at position 3 from"),
        ({"places": "heads", "together": True}, "all heads of blocks.i.attn.z from"),
        ({"places": "blocks.1.attn.q"}, "one head of blocks.1.attn.q from"),
        ({"together": True, "positions": [1, 2]}, "blocks.i.resid_pre at positions 1, 2 from"),
    ],
)
def test_what_is_restored_is_said(model, how, said):
    assert said in words(patching_blocks(patch(model, **PROMPTS, **how)))


def test_an_estimate_is_said_to_be_one(model):
    found = attribution_patching(model, **PROMPTS, places="heads")
    blocks = patching_blocks(found)
    assert "from the clean run, estimated from one gradient:" in words(blocks)
    assert only(Matrix, blocks).title == "Share of the difference estimated for each head"


def test_the_largest_are_listed_and_what_restores_nothing_is_not(model, heads):
    table = only(Table, patching_blocks(heads, top=3))
    assert [row[1:] for row in table.rows] == [(p.value, p.difference) for p in heads.top(3)]
    place = heads.top(1)[0]
    assert table.rows[0][0] == f"blocks.{place.layer} head {place.column}"
    stream = patch(model, **PROMPTS)
    table = only(Table, patching_blocks(stream, top=99))
    assert len(table.rows) == np.count_nonzero(stream.values) < stream.values.size
    assert "blocks.0 position 2 ash/elm" in [row[0] for row in table.rows]
    assert not [b for b in patching_blocks(heads, top=0) if isinstance(b, Table)]


def test_an_agreement_has_both_numbers_of_each_place(model, heads):
    estimated = attribution_patching(model, **PROMPTS, places="heads")
    found = heads.agreement(estimated)
    blocks = agreement_blocks(found, top=4)
    rows = only(Table, blocks).rows
    for row, (place, estimate) in zip(rows, found.top(4), strict=True):
        assert row[1:] == (place.value, estimate, estimate - place.value)
    assert f"8 places measured: correlation {figure(found.correlation, 3)};" in words(blocks)


def test_without_a_correlation_that_is_said(heads):
    flat = replace(heads, differences=np.full(heads.differences.shape, heads.clean))
    said = words(agreement_blocks(heads.agreement(flat)))
    assert "there is no correlation, as one of the two is the same everywhere" in said


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("kind", ["stream", "heads"])
def test_nothing_is_wider_than_the_page(model, kind, width):
    found = patch(model, **PROMPTS, places=kind)
    agreement = found.agreement(attribution_patching(model, **PROMPTS, places=kind))
    for thing in (found, agreement):
        assert max(map(len, to_text(thing, width=width).splitlines())) <= width


def test_tokens_may_hold_anything():
    odd = "*a* `b` $x$ <script> [c](d) \\e \u202ef g"
    model = small_model(tokenizer=Tokenizer.words([odd]))
    found = patch(model, "*a* `b` g", "$x$ \\e g", answer=("[c](d)", "<script>"))
    text = to_text(found, width=80)
    for word in ("*a*", "`b`", "$x$", "\\e", "[c](d)", "<script>"):
        assert word in text
    assert "<script>" not in found._repr_html_()
