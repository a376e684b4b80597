"""Arrays of another program under our names and in our shapes."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.trace.recognise import recognise
from tests.small_models import WORDS, small_model

MODEL = small_model("one head", tokenizer=WORDS)
TRACE = MODEL.trace("ash bud elm")


def test_every_name_of_ours_is_known_in_the_order_of_the_graph():
    arrays = dict(reversed([*TRACE.values.items(), *MODEL.parameters.items()]))
    known = recognise(TRACE, arrays)
    assert list(known.tensors) == list(TRACE.names)
    assert list(known.parameters) == list(MODEL.parameters)
    assert known.unrecognised == ()
    for name, array in known.tensors.items():
        assert array is arrays[name] or array.base is not None


def test_an_alias_stands_for_its_tensor():
    known = recognise(TRACE, {"blocks.0.resid_pre": TRACE.values["embed.out"]})
    assert list(known.tensors) == ["embed.out"]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x[None],
        lambda x: x[0],
        lambda x: x[None, 0],
        lambda x: x[:, None],
        lambda x: x.tolist(),
    ],
    ids=["a batch of one", "no head", "a batch, no head", "the head elsewhere", "a list"],
)
def test_dims_of_size_1_may_be_missing_or_more(change):
    pattern = TRACE.values["blocks.0.attn.pattern"]
    known = recognise(TRACE, {"blocks.0.attn.pattern": change(pattern)})
    assert known.tensors["blocks.0.attn.pattern"].shape == (1, 4, 4)
    assert np.array_equal(known.tensors["blocks.0.attn.pattern"], pattern)


def test_another_shape_stays_as_it_is():
    transposed = TRACE.values["logits"].T
    assert recognise(TRACE, {"logits": transposed}).tensors["logits"] is transposed


def test_names_that_are_none_of_ours_are_kept_to_be_told():
    arrays = {"h.0.ln_1": TRACE.values["blocks.0.norm1"], "logits": TRACE.values["logits"]}
    assert recognise(TRACE, arrays).unrecognised == ("h.0.ln_1",)


def test_names_of_theirs_are_mapped_to_ours_or_to_an_alias():
    arrays = {"h.0.ln_1": TRACE.values["blocks.0.norm1"], "h.0": TRACE.values["embed.out"]}
    known = recognise(TRACE, arrays, {"h.0.ln_1": "blocks.0.norm1", "h.0": "blocks.0.resid_pre"})
    assert list(known.tensors) == ["embed.out", "blocks.0.norm1"]
    assert known.unrecognised == ()


def test_a_tensor_under_two_names_must_be_one_tensor():
    embedded = TRACE.values["embed.out"]
    arrays = {"embed.out": embedded, "blocks.0.resid_pre": embedded[None]}
    assert list(recognise(TRACE, arrays).tensors) == ["embed.out"]
    with pytest.raises(PellucidError, match=r'"embed.out" and "blocks.0.resid_pre" both stand'):
        recognise(TRACE, {**arrays, "blocks.0.resid_pre": embedded + 1})


def test_ids_must_be_those_of_the_trace():
    assert recognise(TRACE, {"ids": np.array([TRACE.ids])}).unrecognised == ()
    with pytest.raises(PellucidError, match=r"but the trace read \[1, 3, 4, 5\]"):
        recognise(TRACE, {"ids": [1, 3, 4, 6]})


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array(["a"]), "holds <U1, not real numbers"),
        (np.array([1j]), "holds complex128, not real numbers"),
        (np.array([True]), "holds bool, not real numbers"),
        ([[1.0], [1.0, 2.0]], "cannot be read as an array"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused_by_name(array, said):
    with pytest.raises(PellucidError, match=f'"logits" {said}'):
        recognise(TRACE, {"logits": array})


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"logit": "logits"}, r'"logit", but there is no such array. Did you mean logits'),
        ({"logits": "logit"}, r"'logit', which no tensor is. Did you mean logits"),
    ],
)
def test_a_mapping_of_names_that_are_not_there_is_refused(names, said):
    with pytest.raises(PellucidError, match=said):
        recognise(TRACE, {"logits": TRACE.values["logits"]}, names)


def test_tensors_of_torch_are_read_as_arrays():
    torch = pytest.importorskip("torch")
    logits = torch.from_numpy(TRACE.values["logits"].copy())
    assert np.array_equal(recognise(TRACE, {"logits": logits}).tensors["logits"], logits.numpy())
    with pytest.raises(PellucidError, match='"logits" cannot be read as an array'):
        recognise(TRACE, {"logits": logits.requires_grad_()})
