"""A run with edits beside one without: what the edits changed, and that nothing else did."""

import json
from dataclasses import replace

import numpy as np
import pytest

import pellucid
from pellucid.cli.output import plain
from pellucid.trace.compare import compare_traces
from pellucid.trace.parameters import AbsentParameters
from pellucid.trace.trace import Trace
from tests.small_models import OPTIONS, WORDS, small_model

PROMPT = "ash bud elm oak"
MODEL = small_model(dtype="float32", tokenizer=WORDS)
TRACE = MODEL.trace(PROMPT)
PATTERN = "blocks.1.attn.pattern"
HEAD = pellucid.zero(PATTERN, head=2)
EDITED = MODEL.trace(PROMPT, edits=[HEAD])


def kinds(found):
    return {each.name: each.kind for each in found.tensors}


@pytest.mark.parametrize("option", OPTIONS)
def test_an_edit_explains_every_difference_of_every_kind_of_model(option):
    model = small_model(option, dtype="float32", tokenizer=WORDS)
    pattern = f"blocks.{model.config.n_layer - 1}.attn.pattern"
    edit = pellucid.zero(pattern, query=-1, key=-1)
    a, b = model.trace(PROMPT, target="next"), model.trace(PROMPT, target="next", edits=[edit])
    for one, other in ((a, b), (b, a)):
        found = compare_traces(one, other, rerun=True)
        assert (found.verdict, found.faults, found.different) == ("edited", (), False)
        assert [each.name for each in found.edited] == [pattern]
        assert found.rerun
        place = list(kinds(found)).index(pattern)
        assert set(list(kinds(found).values())[:place]) == {"equal"}
        assert "differs" in kinds(found).values()
        by_the_graph = compare_traces(one, other)
        assert (by_the_graph.verdict, by_the_graph.faults) == ("edited", ())
        assert [each.name for each in by_the_graph.edited] == [pattern]
        assert not by_the_graph.rerun
        assert kinds(by_the_graph) == kinds(found)


def test_what_changed_first_comes_first_and_what_does_not_read_it_is_equal():
    found = compare_traces(TRACE, EDITED)
    assert found.first is found[PATTERN]
    assert found.first.kind == "edited"
    assert found.first.cell["head"] == 2
    assert (found.edits_in_a, found.edits_in_b) == ((), (str(HEAD),))
    after = list(kinds(found))[list(kinds(found)).index(PATTERN) + 1 :]
    assert {kinds(found)[name] for name in after} == {"differs"}
    assert found[PATTERN].relative == pytest.approx(
        np.linalg.norm(TRACE[PATTERN].values[2]) / np.linalg.norm(TRACE[PATTERN].values)
    )


def test_what_reads_no_edit_is_at_fault_by_the_graph_alone():
    values = EDITED.values["blocks.0.mlp.out"].copy()
    values[-1] += 0.5
    other = replace(EDITED, values={**EDITED.values, "blocks.0.mlp.out": values})
    found = compare_traces(TRACE, other)
    assert (found.verdict, found.rerun) == ("fault", False)
    assert [each.name for each in found.faults] == ["blocks.0.mlp.out"]


def test_what_the_edits_put_in_is_missing_from_neither_side():
    found = compare_traces(TRACE, EDITED)
    assert any(name.endswith(".unedited") for name in EDITED.names)
    assert found.only_in_a == found.only_in_b == ()
    part = MODEL.trace(PROMPT, names=["logits"])
    assert len(compare_traces(part, EDITED).only_in_b) == len(TRACE.names) - 1


def test_an_edited_weight_makes_no_other_model():
    edit = pellucid.zero("blocks.1.attn.w_k", d_model=0)
    found = compare_traces(TRACE, MODEL.trace(PROMPT, edits=[edit]))
    assert (found.verdict, found.different) == ("edited", False)
    assert [each.name for each in found.edited] == ["blocks.1.attn.k_flat"]
    assert [(each.name, each.kind) for each in found.parameters] == [
        ("blocks.1.attn.w_k", "edited")
    ]
    assert "weights differ" not in found.reason
    assert found.reason.startswith(f"Edited: in b, {edit}. The first tensor to change: ")


def test_an_edit_that_changes_nothing_is_told():
    edit = pellucid.scale(PATTERN, 1.0)
    found = compare_traces(TRACE, MODEL.trace(PROMPT, edits=[edit]))
    assert found.verdict == "equal"
    assert found.reason.endswith(f"Edited: in b, {edit}, which changes nothing here.")
    assert (found.shift, found.stream) == (None, None)


def test_the_same_edits_on_both_sides_make_no_difference():
    found = compare_traces(EDITED, EDITED)
    assert found.verdict == "equal"
    assert found.edits_in_a == found.edits_in_b == (str(HEAD),)
    double = MODEL.astype("float64").trace(PROMPT, edits=[HEAD])
    assert compare_traces(EDITED, double).verdict == "noise"


def test_runs_with_other_edits_differ_where_either_was_edited():
    other = MODEL.trace(PROMPT, edits=[pellucid.add("blocks.0.mlp.out", 0.1)])
    found = compare_traces(EDITED, other)
    assert found.verdict == "edited"
    assert [each.name for each in found.edited] == ["blocks.0.mlp.out", PATTERN]


def test_a_fault_in_an_edited_run_is_still_found():
    def broken(name):
        values = EDITED.values[name].copy()
        values[-1] += 0.5
        return replace(EDITED, values={**EDITED.values, name: values})

    for name in ("blocks.0.mlp.pre", "blocks.1.mlp.out", PATTERN):
        found = compare_traces(TRACE, broken(name), rerun=True)
        assert found.verdict == "fault"
        assert found.faults[0].name == name
        assert f"Edited: in b, {HEAD}." in found.reason


def test_an_edit_of_what_was_not_kept_is_no_fault_of_what_follows():
    names = ["blocks.1.attn.z", "blocks.1.resid_mid", "logits"]
    found = compare_traces(TRACE, MODEL.trace(PROMPT, names=names, edits=[HEAD]), rerun=True)
    assert (found.verdict, found.faults) == ("edited", ())
    assert kinds(found) == dict.fromkeys(names, "differs")


def test_without_weights_a_rule_of_thumb_does():
    def bare(trace):
        known = trace.parameters
        absent = AbsentParameters(
            known.specs, known.vocabulary, dtype=known.dtype, digest=known.digest
        )
        return replace(trace, parameters=absent, memory={})

    found = compare_traces(bare(TRACE), bare(EDITED))
    assert (found.verdict, found.rerun) == ("edited", False)
    assert [each.name for each in found.edited] == [PATTERN]
    assert found.reason.endswith("were not run again in float64, as rerun=True does.")
    lent = compare_traces(TRACE, bare(EDITED), rerun=True)
    assert (lent.verdict, lent.rerun) == ("edited", True)
    assert all(each.b_step is not None for each in lent.tensors)


def test_stored_runs_answer_to_weights_with_their_edits(tmp_path):
    edits = [HEAD, pellucid.scale("blocks.0.mlp.w_out", 0.5)]
    edited = MODEL.trace(PROMPT, edits=edits)
    stored = Trace.load(edited.save(tmp_path / "edited.safetensors"))
    found = compare_traces(TRACE, stored, rerun=True)
    assert (found.verdict, found.rerun) == ("edited", True)
    assert [each.name for each in found.edited] == ["blocks.0.mlp.out", PATTERN]
    assert all(each.b_step is not None for each in found.tensors)
    assert compare_traces(edited, stored).verdict == "equal"


def test_an_edited_run_of_another_model_is_of_another_model():
    other = small_model(seed=1, dtype="float32", tokenizer=WORDS)
    found = compare_traces(TRACE, other.trace(PROMPT, edits=[HEAD]))
    assert (found.verdict, found.faults) == ("different", ())
    assert found.reason.endswith(f"Edited: in b, {HEAD}.")
    weight = pellucid.scale("head.b", 2.0)
    found = compare_traces(TRACE, other.trace(PROMPT, edits=[weight]))
    n = len(MODEL.parameters)
    assert found.reason.startswith(f"Different models: {n - 1} of {n} weight tensors differ")


def test_what_comes_next_is_held_together_before_and_after():
    found = compare_traces(TRACE, EDITED)
    assert found.shift is not None
    before, after = TRACE["probs"].values[-1], EDITED["probs"].values[-1]
    kl = (before * np.log(before / after)).sum()
    assert found.shift.kl == pytest.approx(kl, rel=1e-4)
    assert found.stream is not None
    assert [any(row) for row in found.stream.values] == [False, False, False, True, True]


def test_it_is_plain_data():
    data = json.loads(json.dumps(plain(compare_traces(TRACE, EDITED).to_dict())))
    assert data["verdict"] == "edited"
    assert data["edits_in_b"] == [str(HEAD)]
    assert data["shift"]["movers"][0]["token"]


@pytest.mark.parametrize("name", ["blocks.1.norm1.rstd", "blocks.1.norm1.normalized"])
def test_an_edit_between_the_intermediates_of_a_step_is_followed_within_it(name):
    edited = MODEL.trace(PROMPT, edits=[pellucid.scale(name, 1.5)])
    for one, other in ((TRACE, edited), (edited, TRACE)):
        for rerun in (False, True):
            found = compare_traces(one, other, rerun=rerun)
            assert (found.verdict, found.faults) == ("edited", ())
            assert [each.name for each in found.edited] == [name]
            assert kinds(found)["blocks.1.norm1.mean"] == "equal"
            assert kinds(found)["blocks.1.norm1"] == "differs"
            assert found.only_in_a == found.only_in_b == ()
