"""`pellucid.compare`, with all that it takes for its two sides."""

import numpy as np
import pytest
from safetensors.numpy import save_file

import pellucid
from pellucid.errors import PellucidError
from tests.small_models import WORDS, small_model

PROMPT = "ash bud elm"
IDS = [1, 3, 4, 5]


@pytest.fixture(scope="module")
def model():
    return small_model(dtype="float32", tokenizer=WORDS)


@pytest.fixture(scope="module")
def trace(model):
    return model.trace(PROMPT)


@pytest.fixture
def folder(model, tmp_path):
    return model.save(tmp_path / "model")


def test_two_models_on_one_prompt_by_themselves_or_by_their_folders(model, folder, tmp_path):
    double = model.astype("float64")
    other = double.save(tmp_path / "double")
    for a, b in ((model, double), (folder, str(other)), (str(folder), double)):
        assert pellucid.compare(a, b, prompt=PROMPT).verdict == "noise"
        assert pellucid.compare(a, b, ids=IDS).verdict == "noise"
    assert pellucid.compare(model, folder, prompt=PROMPT).verdict == "equal"


def test_a_preset_is_a_model():
    assert pellucid.compare("baby-groot", "baby-groot", prompt="i am").verdict == "equal"


def test_a_model_reads_what_the_trace_has_read(model, trace):
    assert pellucid.compare(trace, model).verdict == "equal"
    assert pellucid.compare(model, trace).verdict == "equal"


def test_edits_are_made_to_the_run_of_the_second(model, trace):
    edit = pellucid.zero("blocks.0.attn.pattern", head=1)
    expected = pellucid.compare(trace, model.trace(PROMPT, edits=[edit])).to_dict()
    assert expected["verdict"] == "edited"
    assert pellucid.compare(model, model, prompt=PROMPT, edits=[edit]).to_dict() == expected
    assert pellucid.compare(trace, model, edits=iter([edit])).to_dict() == expected
    with pytest.raises(PellucidError, match=r"Edits are for a run.* give a model as b"):
        pellucid.compare(model, trace, edits=[edit])
    with pytest.raises(PellucidError, match=r"b cannot read this: .*head"):
        pellucid.compare(trace, model, edits=[pellucid.zero("logits", head=0)])


def test_a_model_without_a_tokenizer_reads_the_ids_of_the_other(model, trace):
    plain = small_model(dtype="float32")
    assert pellucid.compare(model, plain, prompt=PROMPT).verdict == "equal"
    with pytest.raises(PellucidError, match="no tokenizer"):
        pellucid.compare(plain, model, prompt=PROMPT)


def test_models_that_cut_the_prompt_differently_are_refused(model):
    other = small_model(
        dtype="float32", tokenizer=pellucid.Tokenizer.words(["ash bud elm fir oak yew"])
    )
    assert pellucid.compare(model, other, prompt="ash bud").verdict == "equal"
    with pytest.raises(PellucidError, match=r'At position 2 a read "oak" .* and b "oak"'):
        pellucid.compare(model, other, prompt="ash oak")


def test_the_model_that_does_not_know_a_word_is_named(model):
    other = small_model(
        dtype="float32", tokenizer=pellucid.Tokenizer.words(["ash bud elm fir oak yew"])
    )
    with pytest.raises(
        PellucidError, match=r'^a cannot read this: "yew" is not in this vocabulary'
    ):
        pellucid.compare(model, other, prompt="ash yew")
    with pytest.raises(
        PellucidError, match=r'^b cannot read this: "yew" is not in this vocabulary'
    ):
        pellucid.compare(other, model, prompt="ash yew")


def test_saved_traces_are_read_from_their_files(trace, model, tmp_path):
    path = trace.save(tmp_path / "trace.safetensors")
    assert pellucid.compare(path, trace).verdict == "equal"
    assert pellucid.compare(path, path).verdict == "equal"
    assert pellucid.compare(path, model.astype("float64")).verdict == "noise"


@pytest.mark.parametrize("kind", ["mapping", "npz", "safetensors"])
def test_arrays_of_another_program(model, trace, tmp_path, kind):
    arrays = {"h.1": trace.values["blocks.0.resid_post"], "logits": trace.values["logits"]}
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    path = tmp_path / f"theirs.{kind}"
    if kind == "npz":
        np.savez(path, **arrays)
    if kind == "safetensors":
        save_file(arrays, path)
    given = arrays if kind == "mapping" else path
    names = {"h.1": "blocks.1.resid_pre"}
    for side in (model, trace):
        prompt = PROMPT if side is model else None
        found = pellucid.compare(side, given, prompt=prompt, names=names)
        assert found.verdict == "equal"
        assert [each.name for each in found.tensors] == ["blocks.0.resid_post", "logits"]
        assert found.unrecognised == ()
        assert pellucid.compare(side, given, prompt=prompt).unrecognised == ("h.1",)


def test_a_model_reads_the_ids_that_the_other_program_wrote(model, trace):
    arrays = {"logits": trace.values["logits"]}
    assert pellucid.compare(model, {**arrays, "ids": [IDS]}).verdict == "equal"
    assert pellucid.compare(model, {**arrays, "x": IDS}, names={"x": "ids"}).verdict == "equal"
    with pytest.raises(PellucidError, match='"ids" are'):
        pellucid.compare(model, {**arrays, "ids": IDS}, prompt="ash")
    with pytest.raises(PellucidError, match="must be whole numbers"):
        pellucid.compare(model, {**arrays, "ids": np.array(IDS, dtype=float)})


@pytest.mark.parametrize(
    ("sides", "options", "said"),
    [
        (("model", "model"), {}, "nothing for the model to read"),
        (("arrays", "model"), {"prompt": PROMPT}, "give a trace or a model first"),
        (("arrays", "arrays"), {}, "give a trace or a model first"),
        (("trace", "trace"), {"prompt": PROMPT}, "has its tokens already"),
        (("trace", "arrays"), {"ids": IDS}, "has its tokens already"),
        (("trace", "trace"), {"names": {"a": "logits"}}, "Names are for arrays"),
        (("model", "model"), {"prompt": PROMPT, "ids": IDS}, "ids"),
        (("model", "nowhere"), {"prompt": PROMPT}, 'There is no model "nowhere"'),
    ],
)
def test_what_cannot_be_compared_is_refused(model, trace, sides, options, said):
    known = {"model": model, "trace": trace, "arrays": {"logits": trace.values["logits"]}}
    a, b = (known.get(side, side) for side in sides)
    with pytest.raises(PellucidError, match=said):
        pellucid.compare(a, b, **options)
