"""Checkpoints of nanoGPT and minGPT give the model that wrote them, and pickles are not run."""

import json
import math
import pickle

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from pellucid.errors import PellucidError
from pellucid.interop.checkpoints import read

VOCAB, BLOCK, LAYERS, HEADS, WIDTH = 13, 8, 2, 2, 12


class Attention(nn.Module):
    def __init__(self, bias, mask):
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH, bias=bias)
        self.c_proj = nn.Linear(WIDTH, WIDTH, bias=bias)
        if mask:
            self.register_buffer("bias", torch.ones(1, 1, BLOCK, BLOCK).tril())

    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for part in self.c_attn(x).split(WIDTH, dim=2)
        )
        z = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(z.transpose(1, 2).flatten(2))


class Norm(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.bias = nn.Parameter(torch.zeros(WIDTH)) if bias else None

    def forward(self, x):
        return functional.layer_norm(x, (WIDTH,), self.weight, self.bias, 1e-5)


class Block(nn.Module):
    def __init__(self, bias, mask, gelu):
        super().__init__()
        self.ln_1, self.ln_2 = Norm(bias), Norm(bias)
        self.attn = Attention(bias, mask)
        self.mlp = nn.ModuleDict(
            {
                "c_fc": nn.Linear(WIDTH, 4 * WIDTH, bias=bias),
                "c_proj": nn.Linear(4 * WIDTH, WIDTH, bias=bias),
            }
        )
        self.gelu = gelu

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp["c_proj"](self.gelu(self.mlp["c_fc"](self.ln_2(x))))


class GPT(nn.Module):
    """What both programs train, with the names that both give."""

    def __init__(self, *, bias=True, mask=False, tied=True, gelu=functional.gelu):
        super().__init__()
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(VOCAB, WIDTH),
                "wpe": nn.Embedding(BLOCK, WIDTH),
                "h": nn.ModuleList(Block(bias, mask, gelu) for _ in range(LAYERS)),
                "ln_f": Norm(bias),
            }
        )
        self.lm_head = nn.Linear(WIDTH, VOCAB, bias=False)
        generator = torch.Generator().manual_seed(0)
        for parameter in self.parameters():
            parameter.data += 0.3 * torch.randn(parameter.shape, generator=generator)
        if tied:
            self.transformer["wte"].weight = self.lm_head.weight

    def forward(self, ids):
        places = torch.arange(ids.shape[1])
        x = self.transformer["wte"](ids) + self.transformer["wpe"](places)
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


IDS = np.random.default_rng(0).integers(0, VOCAB, (3, BLOCK))


def assert_same(model, theirs):
    with torch.no_grad():
        want = theirs(torch.tensor(IDS)).numpy()
    assert np.abs(model.logits(IDS) - want).max() <= 1e-5 * np.abs(want).max()


def nano(path, gpt, *, compiled=False, **others):
    before = "_orig_mod." if compiled else ""
    optimizer = torch.optim.AdamW(gpt.parameters())
    args = {"n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH, "block_size": BLOCK}
    checkpoint = {
        "model": {before + name: tensor for name, tensor in gpt.state_dict().items()},
        "optimizer": optimizer.state_dict(),
        "model_args": {**args, "bias": True, "vocab_size": VOCAB, "dropout": 0.0},
        "iter_num": 250,
        "best_val_loss": torch.tensor(1.5),
        "config": {"out_dir": "out", "compile": compiled},
        **others,
    }
    torch.save(checkpoint, path)
    return path


def refused(path, **options):
    with pytest.raises(PellucidError) as caught:
        read(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_nanogpt(bias, compiled, tmp_path):
    gpt = GPT(bias=bias, mask=bias)
    model = read(nano(tmp_path / "ckpt.pt", gpt, compiled=compiled))
    assert model.config.tied_head
    assert model.config.norm_bias is bias
    assert_same(model, gpt)


def test_mingpt_with_the_number_of_heads(tmp_path):
    gpt = GPT(mask=True, tied=False, gelu=gelu_tanh)
    path = tmp_path / "model.pt"
    torch.save(gpt.state_dict(), path)
    assert "give n_head" in refused(path)
    model = read(path, n_head=HEADS)
    assert not model.config.tied_head
    assert_same(model, gpt)


@pytest.mark.parametrize(
    ("said", "heads"), [({"n_head": 2}, 2), ({"model_type": "gpt-nano", "n_head": None}, 3)]
)
def test_mingpt_with_what_it_writes_beside_the_weights(said, heads, tmp_path):
    torch.save(GPT(tied=False, gelu=gelu_tanh).state_dict(), tmp_path / "model.pt")
    (tmp_path / "config.json").write_text(json.dumps({"model": said, "trainer": {}}))
    assert read(tmp_path / "model.pt").config.n_head == heads


def test_weights_of_16_bits_become_float32(tmp_path):
    gpt = GPT().to(torch.bfloat16)
    model = read(nano(tmp_path / "ckpt.pt", gpt))
    assert model.dtype == "float32"
    assert_same(model, gpt.float())


class Run:
    """What a pickle of it would do."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (self.path.touch, ())


def test_a_pickle_with_code_in_it_is_not_run(tmp_path):
    ran = tmp_path / "ran"
    plain = tmp_path / "plain.pt"
    plain.write_bytes(pickle.dumps({"model": Run(ran)}, protocol=2))
    torch.save({"model": GPT().state_dict(), "extra": Run(ran)}, tmp_path / "ckpt.pt")
    for path in (plain, tmp_path / "ckpt.pt"):
        assert "not opened" in refused(path)
    assert not ran.exists()


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK\x03\x04", b"\x80\x02."])
def test_a_file_that_is_no_checkpoint(content, tmp_path):
    path = tmp_path / "ckpt.pt"
    path.write_bytes(content)
    refused(path)


def test_a_checkpoint_cut_short(tmp_path):
    path = nano(tmp_path / "ckpt.pt", GPT())
    whole = path.read_bytes()
    for length in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:length])
        refused(path)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ([1, 2], "holds a list"),
        ({"a": 3}, "no tensor of a model"),
        ({3: torch.ones(2)}, "no tensor of a model"),
        ({"a": torch.ones(2)}, "no GPT"),
        ({}, "no GPT"),
        ({"model": {}, "model_args": {}}, "no GPT"),
    ],
)
def test_what_is_no_gpt(stored, said, tmp_path):
    path = tmp_path / "ckpt.pt"
    torch.save(stored, path)
    assert said in refused(path)


def test_arrays_that_do_not_fit(tmp_path):
    state = GPT().state_dict()
    path = tmp_path / "ckpt.pt"
    torch.save({**state, "transformer.ln_f.weight": torch.ones(5)}, path)
    assert "final_norm.gamma is [5]" in refused(path, n_head=2)
    torch.save({**state, "transformer.h.0.extra.weight": torch.ones(5)}, path)
    assert "no place in this model" in refused(path, n_head=2)
    torch.save(state, path)
    assert "n_head=5" in refused(path, n_head=5)


def test_a_file_that_is_missing(tmp_path):
    refused(tmp_path / "ckpt.pt")
