"""A program of another's, with a mistake planted: the mistake is found, and where it is."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import pellucid
from pellucid.decoder.config import ModelConfig
from pellucid.interop import seeds
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.reproduction.groot_names import TENSORS

DATA = Path(__file__).parents[1] / "data"
PATH = Path(__file__).parents[2] / "docs" / "examples" / "own_gpt.py"
SPEC = importlib.util.spec_from_file_location("own_gpt", PATH)
assert SPEC is not None
assert SPEC.loader is not None
own_gpt = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(own_gpt)

WORDS = Tokenizer.words(["the cat sat on the mat"])
SHAPE = ModelConfig(vocab_size=8, block_size=16, n_layer=2, n_head=4, n_embd=64)
PROMPT = "the cat sat on"
FAULTS = {
    "scale": ["blocks.0.attn.scores", "blocks.1.attn.scores"],
    "mask": ["blocks.0.attn.masked_scores", "blocks.1.attn.masked_scores"],
    "gelu": ["blocks.0.mlp.post", "blocks.1.mlp.post"],
    "norm": ["blocks.0.norm1", "blocks.0.norm2", "blocks.1.norm1", "blocks.1.norm2", "final_norm"],
}
SCHEMES = ("torch", "gpt2", "lesson-3")


def model_of(scheme, dtype, seed=0):
    return Model.from_config(SHAPE, WORDS, seed=seed, dtype=dtype, scheme=scheme)


def run_of(model, dtype, mistake=None):
    """What the other program computes, in its own precision."""
    weights = {name: array.astype(dtype) for name, array in model.parameters.items()}
    ids = WORDS.prompt(PROMPT)
    return own_gpt.forward(weights, ids, n_layer=2, n_head=4, mistake=mistake)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("theirs", ["float32", "float64"])
@pytest.mark.parametrize("ours", ["float32", "float64"])
def test_without_a_mistake_there_is_noise_alone(scheme, ours, theirs):
    for seed in range(3):
        model = model_of(scheme, ours, seed)
        found = pellucid.compare(model, run_of(model, theirs))
        assert found.verdict == "noise"
        assert found.first is None
        assert max(each.share or 0 for each in found.tensors) < 0.3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("theirs", ["float32", "float64"])
@pytest.mark.parametrize("ours", ["float32", "float64"])
@pytest.mark.parametrize("mistake", FAULTS)
def test_each_mistake_is_found_wherever_it_was_made_and_nowhere_else(mistake, ours, theirs, scheme):
    model = model_of(scheme, ours)
    found = pellucid.compare(model, run_of(model, theirs, mistake))
    assert found.verdict == "fault"
    assert found.first is found.faults[0]
    assert [each.name for each in found.faults] == FAULTS[mistake]
    for each in found.faults:
        assert each.a_step is not None
        assert each.b_step is not None
        assert each.a_step.share <= 1 < each.b_step.share


@pytest.mark.parametrize("prompt", ["i_am_groot", "groot_likes"])
def test_what_the_first_seeds_own_program_computed_is_noise(prompt):
    model = seeds.baby_groot(load_file(DATA / "baby_groot_seed42_parameters.safetensors"))
    stored = load_file(DATA / "baby_groot_seed42_activations.safetensors")
    theirs = {
        name.split("/")[1]: array for name, array in stored.items() if name.startswith(prompt)
    }
    found = pellucid.compare(model, theirs, names=TENSORS)
    assert found.verdict == "noise"
    assert {each.name for each in found.tensors} == set(TENSORS.values())
    assert found.unrecognised == ()


def test_every_mistake_the_program_can_make_is_tried():
    assert set(own_gpt.MISTAKES) == set(FAULTS)


def test_scores_scaled_by_the_whole_width_are_half_as_large():
    model = model_of("torch", "float64")
    first = pellucid.compare(model, run_of(model, "float64", "scale")).first
    assert first is not None
    assert first.b_step is not None
    assert first.b_step.expected == pytest.approx(2 * first.b_step.given, rel=1e-12)


def test_infinities_that_both_have_do_not_hide_the_one_that_one_lacks():
    model = model_of("torch", "float32")
    right = pellucid.compare(model, run_of(model, "float32"))["blocks.0.attn.masked_scores"]
    assert right.kind == "noise"
    assert right.largest < 1e-6
    wrong = pellucid.compare(model, run_of(model, "float32", "mask")).first
    assert wrong is not None
    assert wrong.largest == np.inf
    assert wrong.cell["key"] == wrong.cell["query"] + 1
    assert wrong.a == -np.inf
    assert np.isfinite(wrong.b)


def test_a_position_that_may_not_look_at_itself_is_a_mask_off_by_one_too():
    model = model_of("torch", "float32")
    seen = run_of(model, "float32")
    blind = np.triu(np.ones((5, 5), dtype=bool))
    seen["blocks.0.attn.masked_scores"] = np.where(blind, -np.inf, seen["blocks.0.attn.scores"])
    with np.errstate(invalid="ignore"):
        seen["blocks.0.attn.pattern"] = own_gpt.softmax(seen["blocks.0.attn.masked_scores"])
    seen = {name: array for name, array in seen.items() if not name.startswith("blocks.0.attn.z")}
    found = pellucid.compare(model, seen)
    assert found.faults[0].name == "blocks.0.attn.masked_scores"
    pattern = found["blocks.0.attn.pattern"]
    assert np.isnan(pattern.b)
    assert pattern.kind == "differs"


def test_the_norm_of_a_trained_post_norm_model_is_found_too():
    """BabyGroot, whose norms read the stream after attention: every row has a scale of its own."""
    model = pellucid.load("baby-groot")
    trace = model.trace("i am groot")
    x = trace["blocks.0.resid_mid"].values
    gamma, beta = (model.parameters[f"blocks.0.norm1.{name}"] for name in ("gamma", "beta"))
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(-1, keepdims=True))
    theirs = {**trace.values, "blocks.0.norm1": centred / (deviation + 1e-5) * gamma + beta}
    found = pellucid.compare(trace, theirs)
    assert [each.name for each in found.faults] == ["blocks.0.norm1"]
