"""`pellucid explain`."""

import json

import pytest

from pellucid.cli.models import open_model

GROOT = ("baby-groot", "i am groot")
SCORE = "blocks.0.attn.scores[query=am,key=i]"
LOGIT = 'logits[position=groot,vocab="<END>"]'


@pytest.fixture(scope="module")
def trace():
    return open_model("baby-groot").trace("i am groot", target="next")


def keys(data):
    """Every cell of an explanation as data, and of what is below it."""
    yield data["kind"], data["name"], *data["cell"].values()
    for below in data.get("operands", ()):
        yield from keys(below)


def test_a_number_is_shown_with_its_formula_products_operands_and_proof(run, trace):
    outcome = run("explain", *GROOT, SCORE)
    assert outcome.code == 0
    assert outcome.err == ""
    for said in (
        "blocks.0.attn.scores[am, i] = ",
        "scores[am, i] = q[am] · keys[i] / √8",
        "What each product adds",
        "The operands",
        "Worked out again in float64",
        "What it was made of",
        "├─ attn.q[am, d_head=",
    ):
        assert said in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())
    largest = trace.explain("blocks.0.attn.scores", query="am", key="i").contributions[0]
    first = outcome.out.partition("What each product adds\n")[2].splitlines()[0]
    assert first.split()[:2] == ["d_head", f"{largest.terms[0].cell['d_head']}:"]


def test_depth_says_how_far_down(run):
    def lines(depth):
        return run("explain", *GROOT, LOGIT, "--depth", str(depth)).out.splitlines()

    assert not any("What it was made of" in line for line in lines(0))
    assert len(lines(1)) < len(lines(2)) < len(lines(4))


def test_all_shows_every_product(run):
    shape = ("lesson-3", "", "blocks.0.mlp.out[position=2,d_model=3]", "--random", "1")
    asked = (*shape, "--ids", "1,2,3", "--depth", "0")
    some, every = (run("explain", *asked, *more).out for more in ((), ("--all",)))
    assert some.count("\n  d_mlp ") == 8
    assert "249 more" in some
    assert every.count("\n  d_mlp ") == 256
    assert "Shown:" not in every


def test_json_holds_the_explanation(run, trace):
    data = json.loads(run("explain", *GROOT, LOGIT, "--depth", "0", "--json", "--all").out)
    known = trace.explain("logits", position="groot", vocab="<END>")
    assert data == known.to_dict()


def test_json_goes_down_as_deep_as_asked_and_explains_each_cell_once(run):
    def depth_of(data):
        return 1 + max((depth_of(below) for below in data.get("operands", ())), default=0)

    found = json.loads(run("explain", *GROOT, LOGIT, "--depth", "4", "--json", "--all").out)
    assert depth_of(found) == 5
    followed = [data for data in nodes(found) if data.get("operands")]
    cells = [(data["kind"], data["name"], *data["cell"].values()) for data in followed]
    assert len(cells) == len(set(cells))


def nodes(data):
    yield data
    for below in data.get("operands", ()):
        yield from nodes(below)


def test_json_spells_infinity(run):
    masked = "blocks.0.attn.masked_scores[query=am,key=groot]"
    outcome = run("explain", *GROOT, masked, "--json")
    assert '"value": "-Infinity"' in outcome.out
    found = json.loads(outcome.out)
    assert (found["value"], found["recomputed"], found["error"]) == ("-Infinity", "-Infinity", 0)
    pattern = "blocks.0.attn.pattern[query=am,key=groot]"
    shares = json.loads(run("explain", *GROOT, pattern, "--json").out)
    assert shares["operands"][0]["value"] == "-Infinity"
    assert "the future: −∞" in run("explain", *GROOT, masked).out


def test_a_gradient_goes_the_other_way(run, trace):
    asked = ("explain", *GROOT, "blocks.0.attn.q[position=am,d_head=3]", "--target", "next")
    shown = run(*asked, "--grad").out
    assert "∂loss/∂q[am, d_head=3] = Σ ∂loss/∂scores[am] · (keys[d_head=3] / √8)" in shown
    found = json.loads(run(*asked, "--grad", "--json", "--depth", "0").out)
    known = trace.explain_grad("blocks.0.attn.q", position="am", d_head=3)
    assert (found["kind"], found["value"]) == ("gradient", known.value)
    assert json.loads(run(*asked, "--json", "--depth", "0").out)["kind"] == "value"


def test_a_gradient_leads_to_the_loss(run):
    asked = ("explain", "baby-groot", "i am", "logits[position=am,vocab=groot]", "--grad")
    found = json.loads(run(*asked, "--target", "groot", "--depth", "2", "--json").out)
    assert ("gradient", "loss") in set(keys(found))


def test_quotes_make_a_label_of_a_number(run):
    asked = ("explain", "lesson-3", "", "--random", "0", "--ids", "5,7,9")
    by_label = run(*asked, 'final_norm[position="7",d_model=3]')
    assert by_label.code == 0
    assert by_label.out == run(*asked, "final_norm[position=1,d_model=3]").out
    assert run(*asked, "final_norm[position=7,d_model=3]").code == 2


def test_parameters_and_ids_explain_themselves(run):
    assert "a parameter" in run("explain", *GROOT, "head.b[vocab=tree]").out
    assert "token id" in run("explain", *GROOT, "ids[position=am]").out


def test_double_precision(run):
    found = json.loads(run("explain", *GROOT, SCORE, "--dtype", "float64", "--json").out)
    assert found["tolerance"] < 1e-14


WRONG_CELLS = {
    "logits": "Which position of logits?",
    "logits[vocab=tree]": "Which position of logits? It has position (4) × vocab (24).",
    "logits[position=4,vocab=tree]": "position=4 is out of range: logits has position 0 to 3.",
    "logits[positon=1,vocab=tree]": "no dim 'positon': position (4) × vocab (24). Did you mean",
    "logits[position=am,vocab=treee]": 'no "treee" along vocab of logits. Did you mean tree',
    "logits[position=am,vocab=zzzz]": 'no "zzzz" along vocab of logits. There are <PAD>,',
    "logit[position=am,vocab=tree]": 'no tensor "logit". Did you mean logits',
    "blocks.0.attn.q[position=am,d_head=x]": "d_head of blocks.0.attn.q has no labels",
    "logits[am, tree, 2]": "logits has no dim for 2: position (4) × vocab (24)",
    "logits[am, =tree]": "Write it as NAME[dim=place,dim=place]",
    "loss": "trace with a target",
}


@pytest.mark.parametrize("cell", WRONG_CELLS)
def test_what_names_no_cell_is_refused_in_one_line(refused, cell):
    assert WRONG_CELLS[cell] in refused("explain", *GROOT, cell)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--grad", "add --target TOKEN, or --target next"),
        ("--target gruut", '"gruut" is not in this vocabulary'),
        ("--ids 1,2", "not both"),
        ("--depth -1", "--depth"),
    ],
)
def test_options_that_do_not_go_are_refused_in_one_line(refused, arguments, said):
    assert said in refused("explain", *GROOT, SCORE, *arguments.split())


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("probs[position=am,vocab=tree]", "it is not on the way to the loss"),
        ("blocks.0.norm1.mean[position=am]", "Ask for that of blocks.0.norm1"),
    ],
)
def test_what_has_no_gradient_says_why(refused, cell, said):
    assert said in refused("explain", *GROOT, cell, "--grad", "--target", "next")


def test_a_label_that_stands_twice_is_answered_with_its_positions(refused):
    said = refused("explain", "baby-groot", "i am i", "blocks.0.attn.scores[query=2,key=i]")
    assert (
        '"i" stands at 2 places along key of blocks.0.attn.scores: 1, 3. Give one of these.' in said
    )
