"""Traces with a target, of every kind of model, made once for all tests that look at them."""

from functools import cache
from pathlib import Path

from safetensors.numpy import load_file

from pellucid.decoder.config import ModelConfig
from pellucid.interop import seeds
from pellucid.model.model import Model
from tests.small_models import OPTIONS, random_ids, random_parameters, small_model

DATA = Path(__file__).parent / "data"

FOUR_HEADS = ModelConfig(
    vocab_size=13, block_size=8, n_layer=2, n_head=4, n_embd=16, activation="gelu", tied_head=True
)
"""Two layers, pre-norm, a tied head and GELU."""

MODELS = ("baby-groot", "lesson-3", "four heads", *OPTIONS)


@cache
def model_of(name, dtype="float64"):
    """Every model has the same weights in both precisions."""
    if dtype == "float64":
        return model_of(name, "float32").astype(dtype)
    if name == "baby-groot":
        state = load_file(DATA / "baby_groot_seed42_parameters.safetensors")
        return seeds.baby_groot(state)
    if name == "lesson-3":
        return seeds.lesson_3(dtype=dtype)[0]
    if name == "four heads":
        return Model(FOUR_HEADS, random_parameters(FOUR_HEADS, dtype=dtype))
    return small_model(name, dtype=dtype)


@cache
def trace_of(name, dtype="float64", positions=4):
    """A trace of a few tokens, with the loss at every position but the last."""
    model = model_of(name, dtype)
    return model.trace(ids=random_ids(model.config, batch=1, positions=positions)[0], target="next")
