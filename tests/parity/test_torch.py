"""Pellucid and PyTorch compute the same logits, losses and gradients."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from pellucid.decoder.config import ModelConfig
from pellucid.interop import seeds
from pellucid.model.model import Model
from tests.parity import torch_decoder
from tests.small_models import PLAIN, next_targets, random_ids, small_model

RELATIVE = {"float32": 1e-4, "float64": 1e-10}
MEDIUM = ModelConfig(vocab_size=97, block_size=48, n_layer=4, n_head=6, n_embd=96, tied_head=True)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Two threads of torch beside two of NumPy get in each other's way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def as_tensors(model):
    return {
        name: torch.tensor(array, requires_grad=True) for name, array in model.parameters.items()
    }


def assert_same(ours, theirs, dtype):
    """Equal to the dtype's share of the largest number."""
    theirs = theirs.detach().numpy()
    assert ours.dtype == theirs.dtype == dtype
    allowed = RELATIVE[dtype] * max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=allowed)


def assert_same_model(model):
    ids = random_ids(model.config)
    targets = next_targets(ids)
    targets[1, 2:4] = -1
    parameters = as_tensors(model)
    logits = torch_decoder.decoder(model.config, parameters, torch.tensor(ids))
    assert_same(model.logits(ids), logits, model.dtype)
    loss = torch_decoder.loss(model.config, parameters, torch.tensor(ids), torch.tensor(targets))
    assert model.loss(ids, targets) == pytest.approx(loss.item(), rel=RELATIVE[model.dtype])
    loss.backward()
    gradients = model.gradients(ids, targets)
    assert set(gradients) == set(parameters)
    for name, parameter in parameters.items():
        assert_same(gradients[name], parameter.grad, model.dtype)


@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize("option", PLAIN)
def test_every_option(option, dtype):
    assert_same_model(small_model(option, dtype=dtype))


@pytest.mark.parametrize("dtype", RELATIVE)
def test_a_deeper_and_wider_model(dtype):
    assert_same_model(Model.from_config(MEDIUM, seed=2, dtype=dtype))


def test_the_first_seeds_state_may_hold_torchs_tensors():
    state = load_file(
        Path(__file__).parents[1] / "data" / "baby_groot_seed42_parameters.safetensors"
    )
    as_arrays = seeds.baby_groot({name: tensor.numpy() for name, tensor in state.items()})
    as_they_are = seeds.baby_groot(state)
    for name, array in as_arrays.parameters.items():
        assert np.array_equal(as_they_are.parameters[name], array)


@pytest.mark.parametrize("dtype", RELATIVE)
def test_hugging_faces_gpt2(dtype):
    """Their GPT-2 from a small random config, its weights given to ours by name."""
    transformers = pytest.importorskip("transformers", reason="a yardstick")
    config = MEDIUM.replace(n_head=4, n_embd=64)
    theirs = hugging_face_gpt2(transformers, config).to(getattr(torch, dtype))
    state = {name: tensor.numpy() for name, tensor in theirs.state_dict().items()}
    model = Model(config, gpt2_parameters(state, config))
    assert model.dtype == dtype
    ids = random_ids(config)
    with torch.no_grad():
        assert_same(model.logits(ids), theirs(torch.tensor(ids)).logits, dtype)


def hugging_face_gpt2(transformers, config):
    """A GPT-2 whose every parameter is random, norms and biases too."""
    gpt2 = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.block_size,
            n_embd=config.n_embd,
            n_layer=config.n_layer,
            n_head=config.n_head,
            layer_norm_epsilon=config.norm_epsilon,
        )
    ).eval()
    generator = torch.Generator().manual_seed(5)
    for parameter in gpt2.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.data.add_(0.3 * noise)
    return gpt2


def gpt2_parameters(state, config):
    """Their parameters by our names: `c_attn` holds queries, keys and values side by side."""
    ours = {
        "token_embedding": state["transformer.wte.weight"],
        "position_embedding": state["transformer.wpe.weight"],
        "final_norm.gamma": state["transformer.ln_f.weight"],
        "final_norm.beta": state["transformer.ln_f.bias"],
    }
    for i in range(config.n_layer):
        block = f"transformer.h.{i}."
        for name, theirs in {
            "attn.w_o": "attn.c_proj.weight",
            "attn.b_o": "attn.c_proj.bias",
            "mlp.w_in": "mlp.c_fc.weight",
            "mlp.b_in": "mlp.c_fc.bias",
            "mlp.w_out": "mlp.c_proj.weight",
            "mlp.b_out": "mlp.c_proj.bias",
            "norm1.gamma": "ln_1.weight",
            "norm1.beta": "ln_1.bias",
            "norm2.gamma": "ln_2.weight",
            "norm2.beta": "ln_2.bias",
        }.items():
            ours[f"blocks.{i}.{name}"] = state[block + theirs]
        for kind, own in (("weight", "w"), ("bias", "b")):
            thirds = np.split(state[f"{block}attn.c_attn.{kind}"], 3, axis=-1)
            for which, third in zip("qkv", thirds, strict=True):
                ours[f"blocks.{i}.attn.{own}_{which}"] = third
    return ours
