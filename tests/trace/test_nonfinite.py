"""The first tensor of a trace with NaN or ∞ is named; −∞ that was put there is a number."""

import numpy as np
import pytest

import pellucid
from pellucid.model.model import Model
from pellucid.trace.nonfinite import what_is_not_finite, wrong_numbers
from tests.small_models import (
    OPTIONS,
    WORDS,
    random_ids,
    random_parameters,
    small_config,
    small_model,
)

PROMPT = "ash bud elm"


@pytest.fixture(scope="module")
def model():
    return small_model(dtype="float32", tokenizer=WORDS)


@pytest.mark.parametrize("option", OPTIONS)
def test_nothing_is_wrong_with_a_sound_model_and_its_masks(option):
    model = small_model(option)
    trace = model.trace(ids=random_ids(model.config, 1)[0].tolist(), target="next")
    assert what_is_not_finite(trace) == ""


@pytest.mark.parametrize(
    ("edit", "tensor"),
    [
        (pellucid.zero("blocks.1.attn.pattern.sum"), "blocks.1.attn.pattern"),
        (pellucid.scale("blocks.0.attn.q", 3e38), "blocks.0.attn.q"),
        (pellucid.set_to("blocks.1.mlp.post", -np.inf), "blocks.1.mlp.out"),
        (pellucid.set_to("logits", -np.inf), "probs.sum"),
    ],
)
def test_of_an_edited_run_it_is_the_first_that_follows(model, edit, tensor):
    trace = model.trace(PROMPT, edits=[edit])
    assert what_is_not_finite(trace).startswith(f"{tensor} is the first tensor with")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_of_weights_it_is_the_first_that_reads_them(value):
    config = small_config()
    parameters = random_parameters(config)
    parameters["blocks.1.attn.w_v"][0, 0] = value
    trace = Model(config, parameters, WORDS).trace(PROMPT)
    wrong = "NaN" if np.isnan(value) else "infinite numbers"
    assert what_is_not_finite(trace) == (
        f"blocks.1.attn.v_flat is the first tensor with 4 {wrong} among 32."
    )


@pytest.mark.parametrize(
    "edit",
    [
        pellucid.mask_attention(query="bud", key="ash"),
        pellucid.set_to("blocks.0.attn.scores", -np.inf, query="bud", key="ash"),
        pellucid.set_to("logits", -np.inf, vocab="moss"),
    ],
)
def test_what_an_edit_shuts_out_is_a_number(model, edit):
    assert what_is_not_finite(model.trace(PROMPT, edits=[edit])) == ""


def test_numbers_are_counted():
    array = np.array([np.nan, np.nan, np.inf, 1.0])
    assert wrong_numbers(array) == "2 NaN and an infinite number among 4"
    assert wrong_numbers(array[2:]) == "an infinite number among 2"
    assert wrong_numbers(np.full(2000, -np.inf)) == "2,000 infinite numbers among 2,000"
