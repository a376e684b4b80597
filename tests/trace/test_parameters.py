"""Parameters are labelled, and known by their digest."""

import hashlib

import numpy as np
import pytest

from pellucid.decoder.titles import parameter_title
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.trace.parameters import AbsentParameters, Parameters
from tests.small_models import WORDS, random_parameters, small_config, small_model

MODEL = small_model("tied head", tokenizer=WORDS)
LABELLED = MODEL.labelled_parameters


def test_parameters_are_a_mapping_in_the_order_of_their_first_use():
    assert list(LABELLED) == list(MODEL.parameters)
    assert len(LABELLED) == len(MODEL.parameters)
    assert "blocks.0.attn.w_q" in LABELLED
    assert "logits" not in LABELLED
    with pytest.raises(KeyError):
        LABELLED["logits"]


def test_each_knows_what_it_is():
    weight = LABELLED["blocks.0.mlp.w_in"]
    assert weight.values is MODEL.parameters["blocks.0.mlp.w_in"]
    assert (weight.dims, weight.labels) == (("d_model", "d_mlp"), {})
    assert weight.title == parameter_title("blocks.0.mlp.w_in")
    assert LABELLED["token_embedding"].labels == {"vocab": WORDS.tokens}
    assert LABELLED.dtype == "float64"


def test_other_values_of_its_shape_are_labelled_alike():
    gradient = LABELLED.tensor("token_embedding", np.zeros((11, 8)))
    assert not gradient.values.any()
    assert (gradient.dims, gradient.labels) == (("vocab", "d_model"), {"vocab": WORDS.tokens})


def test_the_digest_is_over_names_dtypes_shapes_and_bytes():
    total = hashlib.sha256()
    for name, array in MODEL.parameters.items():
        total.update(f"{name} float64 {list(array.shape)}\n".encode())
        total.update(array.astype("<f8").tobytes())
    assert LABELLED.digest == total.hexdigest()


def test_the_digest_does_not_depend_on_the_tokenizer_or_the_order_in_memory():
    config = small_config("tied head")
    given = random_parameters(config)
    turned = {name: np.asfortranarray(array) for name, array in given.items()}
    assert Model(config, turned).labelled_parameters.digest == LABELLED.digest


def test_any_other_number_name_or_precision_is_another_digest():
    config = small_config("tied head")
    changed = random_parameters(config)
    changed["blocks.1.norm2.beta"][3] = np.nextafter(changed["blocks.1.norm2.beta"][3], 9)
    others = [
        Model(config, changed).labelled_parameters.digest,
        MODEL.astype("float32").labelled_parameters.digest,
        small_model().labelled_parameters.digest,
    ]
    first, *rest = MODEL.specs
    renamed = {"another": MODEL.parameters[first], **{n: MODEL.parameters[n] for n in rest}}
    others.append(Parameters(MODEL.specs, renamed).digest)
    assert len({LABELLED.digest, *others}) == 5


def test_absent_parameters_say_where_they_are():
    absent = AbsentParameters(MODEL.specs, WORDS.tokens, dtype="float64", digest="12ab")
    assert list(absent) == list(LABELLED)
    assert (absent.digest, absent.dtype) == ("12ab", "float64")
    assert absent.tensor("token_embedding", np.zeros((11, 8))).labels == {"vocab": WORDS.tokens}
    with pytest.raises(PellucidError, match=r"so it has no head\.b: load it with .*model="):
        absent["head.b"]
    with pytest.raises(KeyError):
        absent["logits"]
