"""A comparison as blocks: the verdict, and tensor beside tensor."""

from dataclasses import replace

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.trace.compare import compare_arrays, compare_traces
from pellucid.trace.measure import measure
from pellucid.trace.tensor import TracedTensor
from pellucid.views import terminal
from pellucid.views.comparison import MOST_ROWS, before_and_after, comparison_blocks, short
from pellucid.views.effect import effect_blocks
from pellucid.views.scene import Prose, Table
from tests.small_models import WORDS, small_model

MODEL = small_model(dtype="float32", tokenizer=WORDS)
PROMPT = "ash bud elm"
TRACE = MODEL.trace(PROMPT)
NOISE = compare_traces(TRACE, MODEL.astype("float64").trace(PROMPT))


def doubled(*names):
    """A comparison with a run that doubles some tensors on its way."""
    run = MODEL.engine.forward(
        {"ids": np.array([TRACE.ids])},
        keep=TRACE.names,
        outputs=(),
        intervene=lambda name, x: x * 2 if name in names else x,
    )
    return compare_traces(
        TRACE, replace(TRACE, values={name: run[name][0, ...] for name in TRACE.names})
    )


def table_of(found):
    return next(block for block in comparison_blocks(found) if isinstance(block, Table))


def test_it_is_said_that_a_median_may_be_above_the_largest_error_in_units():
    small, unit = 2.0**-10, 2.0**-62
    a = TracedTensor("x", np.array([1.0, small, small]), ("d_model",), {}, "", "")
    found = measure(a, a.values + unit * np.array([4096, 50, 50]), "float64")
    assert (found.largest, found.largest_ulps, found.typical_ulps) == (2.0**-50, 4, 50)
    note = str(table_of(NOISE).note)
    assert "units of the last place of its number, a float32" in note
    assert "`typical` may be above `ulps`" in note


def test_equal_runs_need_no_table():
    (only,) = comparison_blocks(compare_traces(TRACE, TRACE))
    assert isinstance(only, Prose)
    assert only.text.startswith("**Equal:** the 71 tensors")


def test_a_fault_is_shown_among_its_neighbours_and_with_all_others():
    found = doubled("blocks.0.attn.v", "blocks.1.mlp.pre")
    rows = table_of(found).rows
    names = [row[0] for row in rows]
    place = names.index("blocks.0.attn.v")
    assert {row[1] for row in rows[:place]} <= {"equal", "rounding"}
    assert len(rows[:place]) == 4
    assert [row[0] for row in rows if row[1] == "wrong"] == ["blocks.0.attn.v", "blocks.1.mlp.pre"]
    assert names == [name for name in TRACE.names if name in names]
    assert f"Shown: {len(rows)} of 71" in str(table_of(found).note)


def test_no_table_is_longer_than_it_may_be():
    everywhere = doubled(*TRACE.names)
    assert len(everywhere.faults) > MOST_ROWS
    for found in (NOISE, everywhere):
        assert len(table_of(found).rows) == MOST_ROWS


def test_noise_shows_what_comes_nearest_to_the_limit():
    shown = {row[0] for row in table_of(NOISE).rows}
    left_out = max(each.share or 0 for each in NOISE.tensors if each.name not in shown)
    assert left_out <= min(NOISE[name].share or 0 for name in shown)


def test_numbers_are_those_of_the_comparison():
    for name, word, largest, ulps, typical, where in table_of(NOISE).rows:
        each = NOISE[name]
        assert word == "rounding"
        assert (largest, ulps) == (short(each.largest), short(each.largest_ulps))
        assert typical == short(each.typical_ulps)
        assert where.split(",") == each.where.split(", ")


def test_shapes_stand_where_numbers_cannot():
    found = compare_arrays(TRACE, {"logits": TRACE.values["logits"].T})
    assert table_of(found).rows == (("logits", "wrong", "", "", "", "shapes 4×11 and 11×4"),)
    assert "Not in b: 70 more." in str(table_of(found).note)


def test_weights_that_differ_have_a_table_of_their_own():
    theirs = {**TRACE.values, "head.b": MODEL.parameters["head.b"] + np.float32(0.5)}
    *_, last = comparison_blocks(compare_arrays(TRACE, theirs))
    assert isinstance(last, Table)
    assert last.title == "Weights that differ"
    assert [row[:3] for row in last.rows] == [("head.b", "wrong", "0.5")]


def test_different_models_differ_and_are_not_wrong():
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    found = compare_traces(TRACE, other.trace(PROMPT))
    lead, tensors, weights, *effect = comparison_blocks(found)
    assert isinstance(lead, Prose)
    assert lead.text.startswith("**Different models:** ")
    assert isinstance(tensors, Table)
    assert isinstance(weights, Table)
    assert tensors.rows[0][:2] == ("embed.tokens", "differs")
    assert {row[1] for row in tensors.rows} <= {"equal", "differs", "follows"}
    assert {row[1] for row in weights.rows} == {"differs"}
    shown = [row[0] for row in tensors.rows if row[1] == "differs"]
    assert shown == [each.name for each in found.changed][: len(shown)]
    assert len(shown) > 8
    assert "around the first that differs, and where others do" in str(tensors.note)
    assert f"Shown: {MOST_ROWS} of {len(MODEL.parameters)}." in str(weights.note)
    assert tuple(map(repr, effect)) == tuple(map(repr, effect_blocks(found)))


def test_an_edit_shows_how_far_each_tensor_moved_and_what_comes_next():
    edits = [pellucid.mask_attention(query=-1, key=0, layer=1), pellucid.scale("head.b", 2)]
    found = compare_traces(TRACE, MODEL.trace(PROMPT, edits=edits))
    lead, tensors, weights, *effect = comparison_blocks(found)
    assert isinstance(lead, Prose)
    assert lead.text.startswith("**Edited:** in b, mask_attention ")
    assert isinstance(tensors, Table)
    assert tensors.columns == ("tensor", "verdict", "change", "a", "b", "at")
    rows = {row[0]: row[1:] for row in tensors.rows}
    assert rows["blocks.1.attn.masked_scores"][:2] == ("edited", "∞")
    assert rows["blocks.1.attn.masked_scores"][3] == "−∞"
    pattern = found["blocks.1.attn.pattern"]
    assert rows["blocks.1.attn.pattern"][:2] == (
        "follows",
        f"{short(100 * pattern.relative)}%",
    )
    assert rows["logits"][0] == "edited"
    assert "around the first that was edited, and where others were" in str(tensors.note)
    assert "`ulps`" not in str(tensors.note)
    assert isinstance(weights, Table)
    assert [row[:3] for row in weights.rows] == [("head.b", "edited", "100%")]
    assert tuple(map(repr, effect)) == tuple(map(repr, effect_blocks(found)))


def test_before_and_after_is_told_of_runs_that_differ():
    edit = pellucid.zero("blocks.1.mlp.out", position=-1)
    found = compare_traces(TRACE, MODEL.trace(PROMPT, edits=[edit]))
    lead, *effect = before_and_after(found)
    assert lead == comparison_blocks(found)[0]
    assert tuple(map(repr, effect)) == tuple(map(repr, effect_blocks(found)))
    with pytest.raises(PellucidError, match="Nothing moved"):
        before_and_after(compare_traces(TRACE, TRACE))


def test_names_of_another_program_cannot_mark_up_the_prose():
    theirs = {**TRACE.values, "**h[0]**": TRACE.values["logits"]}
    assert "**h[0]**" in terminal.to_text(compare_arrays(TRACE, theirs), width=200)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_page(width):
    edited = MODEL.trace(PROMPT, edits=[pellucid.zero("blocks.0.attn.scores", head=1)])
    for found in (NOISE, doubled("blocks.0.attn.scores"), compare_traces(TRACE, edited)):
        assert all(len(line) <= width for line in terminal.to_text(found, width=width).split("\n"))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (1, "1"),
        (12.4, "12"),
        (257, "257"),
        (99_999, "99,999"),
        (8.3e6, "8.3e6"),
        (2.4e-7, "2.4e−7"),
        (2e-10, "2e−10"),
        (float("inf"), "∞"),
    ],
)
def test_numbers_are_short(number, text):
    assert short(number) == text
