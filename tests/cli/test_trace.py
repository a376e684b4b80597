"""`pellucid trace`."""

import json

import numpy as np
import pytest

import pellucid
from pellucid.cli.models import open_model
from pellucid.ops.figures import figure
from pellucid.trace.prediction_shift import prediction_shift
from pellucid.trace.trace import Trace
from tests.small_models import small_model

GROOT = ("baby-groot", "i am groot", "--random", "0")


@pytest.fixture(scope="module")
def model():
    return open_model("baby-groot", random=0)


def test_every_tensor_is_listed(run, model):
    outcome = run("trace", *GROOT)
    assert outcome.code == 0
    listed = {line.split()[0] for line in outcome.out.splitlines() if line.strip()}
    assert set(model.trace("i am groot").names) <= listed


def test_a_tensor_is_shown_with_its_tokens(run):
    outcome = run("trace", *GROOT, "--show", "blocks.0.attn.masked_scores")
    rows = {line.split()[0]: line for line in outcome.out.splitlines() if line.strip()}
    assert rows["<START>"].count("−∞") == 3
    assert rows["groot"].count("−∞") == 0


def test_several_tensors_and_parameters_are_shown_in_the_order_asked(run, model):
    names = ["head.b", "logits", "blocks.0.resid_pre"]
    asked = [part for name in names for part in ("--show", name)]
    found = json.loads(run("trace", *GROOT, *asked, "--json").out)["tensors"]
    trace = model.trace("i am groot")
    assert [tensor["name"] for tensor in found] == ["head.b", "logits", "embed.out"]
    for name, tensor in zip(names, found, strict=True):
        assert tuple(tensor["dims"]) == trace[name].dims
        np.testing.assert_array_equal(np.array(tensor["values"], np.float32), trace[name].values)


def test_json_carries_minus_infinity_and_labels(run):
    asked = ("trace", *GROOT, "--show", "blocks.0.attn.masked_scores", "--json")
    (tensor,) = json.loads(run(*asked).out)["tensors"]
    assert tensor["labels"]["key"] == ["<START>", "i", "am", "groot"]
    assert [row.count("-Infinity") for row in tensor["values"][0]] == [3, 2, 1, 0]


def test_json_without_a_name_lists_every_tensor_without_values(run, model):
    found = json.loads(run("trace", *GROOT, "--json").out)
    assert [tensor["name"] for tensor in found["tensors"]] == list(model.trace("i am groot").names)
    assert not any("values" in tensor for tensor in found["tensors"])
    assert (found["ids"], found["loss"]) == ([1, 11, 3, 8], None)


def test_a_target_gives_the_loss_and_gradients(run, model):
    back = model.trace("i am", target="groot")
    asked = ("trace", "baby-groot", "i am", "--random", "0", "--target", "groot")
    assert f"Loss {back.loss:.4f} nats" in run(*asked).out
    found = json.loads(run(*asked, "--grad", "head.b", "--json").out)
    assert found["loss"] == back.loss
    (gradient,) = found["tensors"]
    np.testing.assert_array_equal(
        np.array(gradient["values"], np.float32), back.grad["head.b"].values
    )


def test_ids_are_read_exactly_as_given(run):
    asked = ("trace", "baby-groot", "--ids", "11,3,8", "--random", "0", "--json")
    found = json.loads(run(*asked).out)
    assert found["ids"] == [11, 3, 8]


def test_an_empty_prompt_starts_from_the_start_token(run):
    for empty in ((), ("",)):
        found = json.loads(run("trace", "baby-groot", *empty, "--random", "0", "--json").out)
        assert found["tokens"] == ["<START>"]


def test_double_precision(run):
    seeds = ("trace", "lesson-3", "--random", "42", "--dtype", "float64", "--json")
    found = json.loads(run(*seeds, "--ids", "20,17,9,15,22,17,12,19", "--show", "logits").out)
    first = found["tensors"][0]["values"][0][:5]
    assert [round(n, 6) for n in first] == [-0.125102, -0.162544, 0.013865, 0.063748, 0.057978]


def test_a_saved_folder_traces_like_the_model_it_was(run, folder):
    own = run("trace", str(folder), "i am groot", "--show", "probs", "--json")
    assert own.out == run("trace", *GROOT, "--show", "probs", "--json").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("i am gruut",), '"gruut" is not in this vocabulary of 24 tokens. Did you mean groot?'),
        (("i am groot you",), "This text is 5 tokens, but the model's context is 4"),
        (("i", "--show", "logit"), 'no tensor "logit". Did you mean logits'),
        (("i", "--show", "token_embeding"), "Did you mean token_embedding"),
        (("i", "--show", "blocks.1.attn.q"), "Did you mean blocks.0.attn.q"),
        (("i", "--grad", "head.b"), "trace with a target"),
        (("i am", "--target", "next", "--grad", "hed.b"), "Did you mean head.b"),
        (("i am", "--target", "gruut"), '"gruut" is not in this vocabulary'),
        (("i am", "--target", "i am"), "is 2 tokens; it must be one"),
        (("--ids", "1,24"), "There is no token 24: ids go from 0 to 23"),
        (("--ids", "1,x"), '"x" is not a token id'),
        (("i", "--ids", "1"), "not both"),
        (("i", "--dtype", "float16"), "neither float32 nor float64"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, arguments, said):
    assert said in refused("trace", "baby-groot", "--random", "0", *arguments)


def test_text_for_a_model_without_a_tokenizer_is_refused(refused):
    assert "no tokenizer" in refused("trace", "lesson-3", "hello", "--random", "0")


def test_a_trace_is_saved_and_read_back(run, model, tmp_path):
    path = tmp_path / "groot.safetensors"
    assert run("trace", *GROOT, "--target", "next", "--save", str(path)).code == 0
    stored = Trace.load(path, model=model)
    trace = model.trace("i am groot", target="next")
    assert stored.names == trace.names
    assert np.array_equal(stored["probs"].values, trace["probs"].values)
    assert stored.loss == trace.loss


def test_a_file_that_cannot_be_written_is_said_in_one_line(refused, tmp_path):
    said = refused("trace", *GROOT, "--save", str(tmp_path / "no" / "such" / "folder"))
    assert "cannot be written" in said


def test_torch_shows_the_same_tensors(run):
    shown = ("trace", "baby-groot", "i am groot", "--show", "blocks.0.attn.pattern")
    # In float32 the last digit shown may be rounding.
    asked = (*shown, "--dtype", "float64")
    back = ("--target", "next", "--grad", "blocks.0.attn.w_q")
    for options in ((), back):
        plain, by_torch = run(*asked, *options), run(*asked, *options, "--engine", "torch")
        assert (by_torch.code, by_torch.out) == (0, plain.out)


BLIND = "mask_attention [query=likes,key=friend]"


def test_an_edit_ends_with_what_comes_next_before_and_after(run, model):
    before = model.trace("friend likes")
    blind = [pellucid.mask_attention(query="likes", key="friend")]
    shift = prediction_shift(before, model.trace("friend likes", edits=blind))
    assert shift is not None
    asked = ("trace", *GROOT[:1], "friend likes", *GROOT[2:], "--edit", BLIND)
    for shown in ((), ("--show", "blocks.0.attn.pattern"), ("--show", "logits")):
        outcome = run(*asked, *shown)
        assert outcome.code == 0
        head, _, end = outcome.out.partition("\nWhat comes next\n")
        assert head
        assert f"KL(before ‖ after) is {figure(shift.kl, 3)} nats" in " ".join(end.split())
    data = json.loads(run(*asked, "--json").out)
    assert data["shift"]["kl"] == shift.kl
    assert data["edits"] == [BLIND]
    named = json.loads(run(*asked, "--json", "--show", "blocks.0.attn.pattern").out)
    assert [each["name"] for each in named["tensors"]] == ["blocks.0.attn.pattern"]
    assert named["shift"] == data["shift"]


def test_without_an_edit_nothing_is_said_of_before_and_after(run):
    assert "What comes next" not in run("trace", *GROOT).out
    assert "shift" not in json.loads(run("trace", *GROOT, "--json").out)


@pytest.mark.parametrize("command", [["trace"], ["check"], ["explain", "", "loss"]])
def test_of_a_model_without_a_tokenizer_the_target_is_an_id(run, tmp_path, command):
    folder = small_model(dtype="float32").save(tmp_path / "model")
    name, *more = command
    asked = (name, str(folder), *more, "--ids", "3,4", "--target")
    assert run(*asked, "5").code == 0
    assert "no tokenizer" in run(*asked, "elm").err
    assert "no token 11" in run(*asked, "11").err
