"""`pellucid paths`."""

import json

import pytest

from pellucid.cli.models import open_model

GROOT = ("baby-groot", "i am groot")
END = "logits[position=-1,vocab=<END>]"


@pytest.fixture(scope="module")
def trace():
    return open_model("baby-groot").trace("i am groot")


def test_components_are_printed_with_their_sum(run, trace):
    outcome = run("paths", *GROOT, END, "--top", "3")
    assert outcome.code == 0
    paths = trace.paths("logits", position=-1, vocab="<END>", top=3)
    for path in paths.top():
        assert f"  {path.component}  " in outcome.out
    assert "5 more" in outcome.out
    assert "The 2 norms on the way are taken with the scale" in " ".join(outcome.out.split())
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_json_is_what_python_gives(run, trace):
    found = json.loads(run("paths", *GROOT, END, "--minus", "tree", "--json").out)
    assert found == trace.paths("logits", position=-1, vocab="<END>", minus="tree").to_dict()


def test_a_bare_number_is_an_index_and_a_quoted_one_a_label(run, refused):
    by_index = json.loads(run("paths", *GROOT, END, "--minus", "-1", "--json").out)
    assert by_index["minus"]["vocab"] == 23
    assert 'There is no "3" along vocab' in refused("paths", *GROOT, END, "--minus", '"3"')


def test_ids_are_read_exactly_as_given(run):
    asked = ("paths", "baby-groot", "", "logits[position=1,vocab=2]", "--ids", "11,3", "--json")
    trace = open_model("baby-groot").trace(ids=[11, 3])
    assert json.loads(run(*asked).out) == trace.paths("logits", position=1, vocab=2).to_dict()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((END, "--minus", "<END>"), "minus='<END>' is the cell itself"),
        ((END, "--minus", "treee"), 'no "treee" along vocab of logits. Did you mean tree'),
        ((END, "--top", "-1"), "--top"),
        (("blocks.0.attn.pattern[query=1,key=0]",), "is no sum of what stands along the residual"),
        (("logits[position=-1]",), "Which vocab of logits?"),
        (("logits[position=-1,vocab=",), "names no cell"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, arguments, said):
    assert said in refused("paths", *GROOT, *arguments)


def test_by_block_each_head_has_a_cell(run, trace):
    outcome = run("paths", *GROOT, END, "--by-block")
    assert outcome.code == 0
    assert "What each part adds to logits[groot, <END>]" in outcome.out
    paths = trace.paths("logits", position=-1, vocab="<END>")
    head = next(path for path in paths.components if path.head == 0)
    assert f"{head.contribution:.3f}" in outcome.out
    assert "Outside the blocks" in outcome.out
