"""The torch engine on a GPU computes what the NumPy engine does; not run where there is none."""

import numpy as np
import pytest
import torch

from pellucid.decoder.architecture import build_graph
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.engine.torch_engine import TorchEngine
from pellucid.ops.dropout import noise_keys
from tests.small_models import (
    OPTIONS,
    next_targets,
    random_ids,
    random_parameters,
    small_config,
    small_model,
)

GPUS = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
on_gpus = pytest.mark.parametrize(
    "device",
    [
        pytest.param(name, marks=pytest.mark.skipif(not there, reason=f"there is no {name} GPU"))
        for name, there in GPUS.items()
    ],
)
PRECISE = 1e-4
"""Of the largest number: float32 sums taken in another order."""


@on_gpus
@pytest.mark.parametrize("option", OPTIONS)
def test_every_tensor_and_gradient(option, device):
    config = small_config(option)
    graph, parameters = build_graph(config, dropout=0.3), random_parameters(config, dtype="float32")
    ids = random_ids(config)
    given = {
        "ids": ids,
        "targets": next_targets(ids),
        "noise": noise_keys(seed=3, step=5, samples=np.arange(len(ids))),
    }
    names = [node.name for node in graph.nodes if node.name != "probs"]
    found = []
    for engine in (NumpyEngine(graph, parameters), TorchEngine(graph, parameters, device=device)):
        run = engine.forward(given, keep=Keep.EVERYTHING, outputs=("loss",))
        back = engine.backward(run, keep_nodes=names)
        found.append((run.values, back.nodes, back.parameters))
    for ours, theirs in zip(*found, strict=True):
        assert set(ours) == set(theirs)
        for name, array in ours.items():
            finite = np.isfinite(array)
            allowed = PRECISE * np.abs(array[finite]).max(initial=1.0)
            np.testing.assert_allclose(theirs[name], array, rtol=0, atol=allowed, err_msg=name)


@on_gpus
@pytest.mark.parametrize("option", OPTIONS)
def test_the_generation(option, device):
    model = small_model(option, dtype="float32")
    texts = [
        each.generate(ids=[[1, 4, 5], [2]], max_new_tokens=7).finish().texts
        for each in (model, model.using("torch", device=device))
    ]
    assert [text.ids for text in texts[0]] == [text.ids for text in texts[1]]


@on_gpus
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_16_bits_are_near(device, dtype):
    model = small_model(dtype="float32")
    ids = random_ids(model.config)
    half = model.using("torch", device=device, dtype=dtype)
    exact = model.loss(ids[:, :5], ids[:, 5])
    assert half.loss(ids[:, :5], ids[:, 5]) == pytest.approx(exact, rel=0.05)
