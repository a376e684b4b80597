"""Taking arrays out of somebody's torch module, and finding where it leaves a model."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import pellucid
from pellucid.errors import PellucidError
from pellucid.interop.capture import capture
from pellucid.model.model import Model
from tests.small_models import SMALL, WORDS, random_parameters

pytestmark = pytest.mark.usefixtures("one_torch_thread")

CONFIG = SMALL.replace(tied_head=True, head_bias=False)
IDS = [1, 4, 5, 3, 7]


class Theirs(nn.Module):
    """Somebody's GPT, written their way: q, k and v in one map, and names of their own."""

    def __init__(self, config, parameters, *, gelu="tanh", dropout=0.0):
        super().__init__()
        self.wte = nn.Embedding.from_pretrained(parameters["token_embedding"])
        self.wpe = nn.Embedding.from_pretrained(parameters["position_embedding"])
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(
            TheirBlock(config, parameters, f"blocks.{i}.", gelu) for i in range(config.n_layer)
        )
        self.ln_f = layer_norm(config, parameters, "final_norm")

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.h:
            x, _ = block(self.drop(x))
        return {"logits": self.ln_f(x) @ self.wte.weight.T, "cache": None}


class TheirBlock(nn.Module):
    def __init__(self, config, parameters, prefix, gelu):
        super().__init__()
        self.n_head = config.n_head
        p = {name.removeprefix(prefix): array for name, array in parameters.items()}
        self.ln_1 = layer_norm(config, p, "norm1")
        self.qkv = linear(
            torch.cat([p[f"attn.w_{x}"] for x in "qkv"], dim=1),
            torch.cat([p[f"attn.b_{x}"] for x in "qkv"]),
        )
        self.proj = linear(p["attn.w_o"], p["attn.b_o"])
        self.ln_2 = layer_norm(config, p, "norm2")
        self.fc = linear(p["mlp.w_in"], p["mlp.b_in"])
        self.act = nn.GELU(gelu)
        self.out = linear(p["mlp.w_out"], p["mlp.b_out"])
        self.scratch = nn.ReLU(inplace=True)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.n_head, -1).transpose(1, 2)
            for part in self.qkv(self.ln_1(x)).chunk(3, dim=-1)
        )
        z = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(z.transpose(1, 2).reshape(batch, length, width))
        hidden = self.fc(self.ln_2(x))
        done = x + self.out(self.act(hidden))
        self.scratch(hidden)  # They write over what nobody needs any more.
        return done, None


def layer_norm(config, parameters, name):
    norm = nn.LayerNorm(config.n_embd, eps=config.norm_epsilon, dtype=torch.float64)
    norm.load_state_dict(
        {"weight": parameters[f"{name}.gamma"], "bias": parameters[f"{name}.beta"]}
    )
    return norm


def linear(weight, bias):
    made = nn.Linear(*weight.shape, dtype=torch.float64)
    made.load_state_dict({"weight": weight.T, "bias": bias})
    return made


NAMES: dict[str, str | tuple[str, ...]] = {"ln_f": "final_norm", "": "logits"}
for i in range(CONFIG.n_layer):
    ours = f"blocks.{i}."
    NAMES |= {
        f"h.{i}:input": f"{ours}resid_pre",
        f"h.{i}.ln_1": f"{ours}norm1",
        f"h.{i}.qkv": tuple(f"{ours}attn.{x}_flat" for x in "qkv"),
        f"h.{i}.proj:input": f"{ours}attn.z_flat",
        f"h.{i}.proj": f"{ours}attn.out",
        f"h.{i}.ln_2": f"{ours}norm2",
        f"h.{i}.fc": f"{ours}mlp.pre",
        f"h.{i}.act": f"{ours}mlp.post",
        f"h.{i}.out": f"{ours}mlp.out",
        f"h.{i}": f"{ours}resid_post",
    }


@pytest.fixture(scope="module")
def model():
    return Model(CONFIG, random_parameters(CONFIG), WORDS)


def theirs(model, **how):
    return Theirs(model.config, {n: torch.tensor(a) for n, a in model.parameters.items()}, **how)


def test_a_right_module_is_noise_in_every_tensor(model):
    caught = capture(theirs(model), IDS, NAMES)
    found = pellucid.compare(model, caught)
    assert found.verdict == "noise"
    expected = {name for each in NAMES.values() for name in np.atleast_1d(each)}
    resolved = {model.graph.resolve(name) for name in expected}
    assert {each.name for each in found.tensors} == resolved
    assert found.unrecognised == ()


def test_the_first_tensor_that_leaves_the_models_is_found(model):
    module = theirs(model)
    module.h[1].act = nn.GELU()
    found = pellucid.compare(model, capture(module, IDS, NAMES))
    assert found.verdict == "fault"
    assert [each.name for each in found.faults] == ["blocks.1.mlp.post"]


def test_dropout_is_left_out_and_the_mode_stays(model):
    module = theirs(model, dropout=0.5)
    module.train()
    module.h[0].eval()
    assert pellucid.compare(model, capture(module, IDS, NAMES)).verdict == "noise"
    assert module.training
    assert module.drop.training
    assert not module.h[0].ln_1.training


def test_without_names_everything_comes_under_its_path(model):
    module = theirs(model)
    caught = capture(module, [IDS])
    twice = {"drop"}  # Once before each block: its results have no one name.
    inner = {path for path, _ in module.named_modules() if path not in ("", "h", *twice)}
    assert set(caught) == {"ids", "output", *inner}
    np.testing.assert_array_equal(caught["ids"], [IDS])
    with torch.no_grad():
        np.testing.assert_array_equal(caught["output"], module(torch.tensor([IDS]))["logits"])


@pytest.mark.parametrize(
    "inputs",
    [
        IDS,
        [IDS],
        np.array([IDS]),
        torch.tensor([IDS]),
        (torch.tensor([IDS]),),
        {"ids": torch.tensor([IDS])},
        {"ids": [IDS]},
    ],
    ids=["ids", "texts", "array", "tensor", "arguments", "keywords", "keywords of lists"],
)
def test_inputs_may_come_in_many_ways(model, inputs):
    caught = capture(theirs(model), inputs, {"": "logits"})
    np.testing.assert_array_equal(caught["ids"], [IDS])
    np.testing.assert_allclose(caught["logits"], model.logits([IDS]), rtol=0, atol=1e-10)


def test_what_was_caught_does_not_change_when_it_is_written_over(model):
    module = theirs(model)
    caught = capture(module, IDS, {"h.0.fc": "pre", "h.0.act:input": "given"})
    assert (caught["pre"] < 0).any()
    np.testing.assert_array_equal(caught["pre"], caught["given"])


def test_hooks_are_gone_afterwards_even_after_an_error(model):
    module = theirs(model)
    capture(module, IDS)
    with pytest.raises(IndexError):
        capture(module, [99999], NAMES)
    for each in module.modules():
        assert not each._forward_hooks
        assert not each._forward_pre_hooks
    assert module.training


def test_no_gradient_is_kept_and_half_precision_becomes_float32(model):
    module = nn.Linear(3, 2).to(torch.bfloat16)
    caught = capture(module, torch.ones(1, 3, dtype=torch.bfloat16), {"": "logits"})
    assert caught["logits"].dtype == np.float32
    assert set(caught) == {"logits"}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"h.0.ln_3": "blocks.0.norm1"}, r'no submodule "h\.0\.ln_3"\. Did you mean h\.0\.ln_2'),
        ({"drop": "embed.out"}, '"drop" ran 2 times'),
        ({"h": "embed.out"}, '"h" did not run'),
        ({"ln_f": ("a", "b", "c")}, r"\[1, 5, 8\]: its last dim does not divide among 3 names"),
    ],
)
def test_what_cannot_be_named_is_said(model, names, words):
    with pytest.raises(PellucidError, match=words):
        capture(theirs(model), IDS, names)


def test_a_submodule_without_a_tensor_is_named(model):
    class Silent(nn.Module):
        def forward(self, x):
            return None

    module = nn.Sequential(Silent())
    with pytest.raises(PellucidError, match='"0" gave no tensor'):
        capture(module, torch.ones(1), {"0": "logits"})
    assert capture(module, torch.ones(1)) == {}
