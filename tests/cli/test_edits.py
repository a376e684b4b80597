"""`--edit` on the command line, of every command that takes it."""

import json

import numpy as np

import pellucid

EDIT = "scale attn.pattern[query=am,key=i] 3"
EDITS = [pellucid.scale("attn.pattern", 3, query="am", key="i"), pellucid.zero("head.b")]


def words(text):
    return " ".join(text.split())


def test_a_trace_shows_what_was_edited(run):
    edited = ("trace", "baby-groot", "i am groot", "--edit", EDIT, "--edit", "zero head.b")
    names = [tensor["name"] for tensor in json.loads(run(*edited, "--json").out)["tensors"]]
    assert "blocks.0.attn.pattern.unedited" in names
    shown = run(*edited).out
    assert f"Edited: {EDIT}; zero head.b." in words(shown)


def test_a_tensor_is_shown_as_it_was_before_too(run):
    edit = ("--edit", "zero attn.pattern[query=am]")
    show = ("--show", "attn.pattern.unedited", "--show", "attn.pattern")
    outcome = run("trace", "baby-groot", "i am groot", *edit, *show)
    before, _, after = outcome.out.partition("edited: zero at [query=am]")
    rows = [
        next(line for line in part.splitlines() if line.startswith("  am"))
        for part in (before, after)
    ]
    assert [row.split()[1:] for row in rows] == [["0.107", "0.728", "0.166", "0"], ["0"] * 4]
    assert "Edited: zero attn.pattern[query=am]." in after


def test_edits_come_from_a_file_or_as_words(run, tmp_path):
    path = tmp_path / "edits.json"
    path.write_text(pellucid.edits_to_json(EDITS), encoding="utf-8")
    show = ("trace", "baby-groot", "i am groot", "--show", "logits", "--json")
    one = json.loads(run(*show, "--edit", str(path)).out)
    other = json.loads(run(*show, "--edit", EDIT, "--edit", "zero head.b").out)
    assert one == other
    assert one["edits"] == [EDIT, "zero head.b"]
    expected = pellucid.load("baby-groot").trace("i am groot", edits=EDITS).values["logits"]
    np.testing.assert_allclose(one["tensors"][0]["values"], expected, rtol=1e-6)


def test_an_explanation_says_that_it_was_edited_here(run):
    cell = "attn.pattern[query=am,key=i]"
    shown = words(run("explain", "baby-groot", "i am groot", cell, "--edit", EDIT).out)
    assert "edited here: was 0.7275, scale 3 made it 2.183" in shown


def test_an_edited_run_is_checked(run):
    outcome = run("check", "baby-groot", "i am groot", "--edit", EDIT)
    assert outcome.code == 0
    assert words(outcome.out).startswith("Every check holds, on 57 tensors")


def test_a_generation_goes_another_way(run):
    edit = ("--edit", "set_to logits[vocab=groot] -inf")
    plain = run("generate", "baby-groot", "i am").out
    assert plain == "i am groot\n"
    assert run("generate", "baby-groot", "i am", *edit).out != plain
    explained = run("generate", "baby-groot", "i am", *edit, "--explain").out
    assert explained.startswith("Edited: set_to logits[vocab=groot] -inf.")
    data = json.loads(run("generate", "baby-groot", "i am", *edit, "--json").out)
    assert data["edits"] == ["set_to logits[vocab=groot] -inf"]


def test_what_cannot_be_edited_is_one_line(refused, tmp_path):
    groot = ("trace", "baby-groot", "i am groot", "--edit")
    assert "Did you mean blocks.0.attn.pattern" in refused(*groot, "zero blocks.0.attn.patern")
    assert "is no edit" in refused(*groot, "zero")
    assert 'no "tree" along query' in refused(*groot, "zero attn.pattern[query=tree]")
    assert "the query i no key" in refused(*groot, "mask_attention query=i")
    missing = tmp_path / "missing.json"
    assert refused(*groot, str(missing)) == f"{missing} cannot be read: No such file or directory."
    broken = tmp_path / "broken.json"
    broken.write_text("[{}]", encoding="utf-8")
    assert refused(*groot, str(broken)).startswith(f"{broken}: These are no edits")
