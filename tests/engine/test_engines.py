"""Engines by name, and what is said where one cannot be had."""

import importlib.util

import numpy as np
import pytest

from pellucid.engine.engines import make_engine
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.torch_engine import TorchEngine
from pellucid.errors import PellucidError
from tests.engine.small_engines import build

ENGINE = build()
GIVEN = ENGINE.graph, ENGINE.parameters


def test_each_name_has_its_engine():
    assert isinstance(make_engine("numpy", *GIVEN), NumpyEngine)
    assert isinstance(make_engine("torch", *GIVEN, device="cpu"), TorchEngine)


def test_torch_computes_in_what_it_is_told():
    half = make_engine("torch", *GIVEN, device="cpu", dtype="bfloat16")
    logits = half.forward({"ids": np.array([[1, 2, 3]])})["logits"]
    exact = ENGINE.forward({"ids": np.array([[1, 2, 3]])})["logits"]
    assert half.dtype == logits.dtype == np.float32
    errors = np.abs(logits - exact).max() / np.abs(exact).max()
    assert 1e-5 < errors < 0.1  # Eight bits of a number, not 24.


@pytest.mark.parametrize(
    ("name", "how", "words"),
    [
        ("jax", {}, 'no engine "jax": take numpy or torch'),
        ("numpy", {"device": "cuda"}, 'NumPy engine has no device "cuda"'),
        ("numpy", {"dtype": "bfloat16"}, "computes in what the weights are, float64, not bfloat16"),
        ("torch", {"device": "quark"}, 'no device "quark"'),
        ("torch", {"dtype": "int8"}, "'int8' is not one of"),
    ],
)
def test_what_cannot_be_had_is_said(name, how, words):
    with pytest.raises(PellucidError, match=words):
        make_engine(name, *GIVEN, **how)


def test_without_torch_the_extra_is_named(monkeypatch):
    """As where PyTorch is not installed: the module is not found."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "pellucid.engine.find_torch.find_spec",
        lambda name: None if name == "torch" else found(name),
    )
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[torch\]'"):
        make_engine("torch", *GIVEN)
    assert isinstance(make_engine("numpy", *GIVEN), NumpyEngine)
