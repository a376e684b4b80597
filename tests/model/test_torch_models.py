"""Models as torch modules, and back; models run by torch."""

import numpy as np
import pytest
import torch
from torch import nn

import pellucid
from pellucid.engine.torch_engine import TorchEngine
from pellucid.errors import PellucidError
from tests.small_models import OPTIONS, WORDS, random_ids, small_model

pytestmark = pytest.mark.usefixtures("one_torch_thread")


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_there_and_back_nothing_changes(option, dtype):
    model = small_model(option, dtype=dtype, tokenizer=WORDS)
    again = pellucid.from_torch(model.to_torch(device="cpu"), WORDS)
    assert again.config == model.config
    assert again.dtype == dtype
    assert again.tokenizer is WORDS
    for name, array in model.parameters.items():
        np.testing.assert_array_equal(again.parameters[name], array)


def test_training_the_module_leaves_the_model_as_it_was():
    model = small_model()
    before = {name: array.copy() for name, array in model.parameters.items()}
    module = model.to_torch(device="cpu")
    ids = torch.from_numpy(random_ids(model.config))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = module(ids[:, :-1], ids[:, 1:]).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[0] > losses[1] > losses[2]
    for name, array in before.items():
        np.testing.assert_array_equal(model.parameters[name], array)
    trained = pellucid.from_torch(module)
    expected = module(ids[:, :-1], ids[:, 1:]).loss.item()
    assert trained.loss(ids[:, :-1].numpy(), ids[:, 1:].numpy()) == pytest.approx(expected)


def test_a_model_does_not_change_when_its_module_is_trained_on():
    module = small_model().to_torch(device="cpu")
    model = pellucid.from_torch(module)
    before = model.parameters["token_embedding"].copy()
    with torch.no_grad():
        module.token_embedding.zero_()
    np.testing.assert_array_equal(model.parameters["token_embedding"], before)


def test_weights_of_16_bits_become_float32_without_loss():
    module = small_model().to_torch(device="cpu", dtype="bfloat16")
    model = pellucid.from_torch(module)
    assert model.dtype == "float32"
    again = torch.from_numpy(model.parameters["token_embedding"].copy()).to(torch.bfloat16)
    assert torch.equal(again, module.token_embedding)


@pytest.mark.filterwarnings("ignore:.torch.jit.script_method. is deprecated")
def test_a_module_inside_another_is_found():
    model = small_model()
    compiled = torch.compile(model.to_torch(device="cpu"))
    assert pellucid.from_torch(compiled).config == model.config


def test_another_module_is_refused_and_capture_offered():
    with pytest.raises(PellucidError, match=r"Linear is not .*to_torch.*pellucid\.capture"):
        pellucid.from_torch(nn.Linear(2, 2))


@pytest.mark.parametrize("option", OPTIONS)
def test_a_model_run_by_torch_traces_as_one_run_by_numpy(option):
    model = small_model(option, dtype="float32", tokenizer=WORDS)
    other = model.using("torch", device="cpu")
    traces = [each.trace("ash bud elm", target="next") for each in (model, other)]
    assert traces[0].names == traces[1].names
    assert set(traces[0].grad) == set(traces[1].grad)
    assert pellucid.compare(*traces).verdict in ("equal", "noise")


def test_it_has_the_same_weights_in_the_same_memory():
    model = small_model()
    other = model.using("torch", device="cpu")
    assert isinstance(other.engine, TorchEngine)
    assert other.parameters is model.parameters
    for name, tensor in other.engine.module.named_parameters():
        assert tensor.data_ptr() == model.parameters[name].ctypes.data
    assert model.using("torch", device="cpu").using("numpy").logits([[1, 2]]).dtype == "float64"


@pytest.mark.parametrize("option", OPTIONS)
def test_its_losses_and_gradients_are_the_models(option):
    model = small_model(option)
    other = model.using("torch", device="cpu")
    ids = random_ids(model.config)
    assert other.loss(ids[:, :4], ids[:, 4]) == pytest.approx(model.loss(ids[:, :4], ids[:, 4]))
    ours, theirs = (each.gradients(ids[:, :4], ids[:, 4]) for each in (model, other))
    assert list(ours) == list(theirs)
    for name, array in ours.items():
        np.testing.assert_allclose(theirs[name], array, rtol=0, atol=1e-10)


def test_a_trace_of_it_can_be_explained():
    trace = small_model(tokenizer=WORDS).using("torch", device="cpu").trace("ash bud elm")
    explanation = trace.explain("blocks.1.attn.scores[head=0,query=elm,key=bud]")
    assert explanation.value == trace["blocks.1.attn.scores"].values[0, 3, 2]
