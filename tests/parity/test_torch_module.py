"""The torch module and the NumPy engine compute the same: every tensor, loss and gradient.

Autograd knows nothing of the operations' `backward`, and they nothing of it: two witnesses.
"""

import numpy as np
import pytest
import torch

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.engine.torch_engine import TorchEngine
from pellucid.engine.torch_module import TorchDecoder
from pellucid.model.model import Model
from pellucid.ops.dropout import noise_keys
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import (
    OPTIONS,
    WORDS,
    next_targets,
    random_ids,
    random_parameters,
    small_config,
    small_model,
)

pytestmark = pytest.mark.usefixtures("one_torch_thread")

ALLOWED = {"float32": 1e-4, "float64": 1e-10}
DROPOUT = {"without dropout": 0.0, "with dropout": 0.3}
WIDE = ModelConfig(
    vocab_size=97, block_size=48, n_layer=3, n_head=6, n_kv_head=2, n_embd=96, tied_head=True
)
EVERY_OPTION = pytest.mark.parametrize("option", OPTIONS)
EVERY_DTYPE = pytest.mark.parametrize("dtype", ALLOWED)


class Both:
    """One decoder in both engines, and a batch with a gap in its targets."""

    def __init__(self, config, dtype, dropout=0.0, draw=random_parameters):
        graph, parameters = build_graph(config, dropout=dropout), draw(config, dtype=dtype)
        self.numpy = NumpyEngine(graph, parameters)
        self.torch = TorchEngine(graph, parameters, device="cpu")
        self.module = TorchDecoder(graph, parameters)
        self.graph = graph
        ids = random_ids(config)
        targets = next_targets(ids)
        targets[1, 2:4] = -1
        self.given = {"ids": ids, "targets": targets}
        if dropout:
            self.given["noise"] = noise_keys(seed=3, step=5, samples=np.arange(len(ids)))
        self.texts = {name: array for name, array in self.given.items() if name != "targets"}

    def tensors(self):
        """What the module is called with."""
        found = {name: torch.from_numpy(array.view(np.int64)) for name, array in self.given.items()}
        return (found["ids"], found["targets"]), {"noise": found.get("noise")}


def assert_close(ours, theirs, name):
    """The same shape, dtype and infinities, and numbers that rounding alone tells apart."""
    assert ours.shape == theirs.shape, name
    assert ours.dtype == theirs.dtype, name
    finite = np.isfinite(ours)
    np.testing.assert_array_equal(ours[~finite], theirs[~finite], err_msg=name)
    largest = np.abs(ours[finite]).max(initial=1.0)
    allowed = ALLOWED[str(ours.dtype)] * largest if ours.dtype.kind == "f" else 0
    np.testing.assert_allclose(theirs[finite], ours[finite], rtol=0, atol=allowed, err_msg=name)


def assert_same(ours, theirs):
    """Two mappings of arrays have the same names and numbers."""
    assert set(ours) == set(theirs)
    for name, array in ours.items():
        assert_close(array, theirs[name], name)


@EVERY_OPTION
@EVERY_DTYPE
@pytest.mark.parametrize("dropout", DROPOUT)
def test_every_tensor_and_every_gradient_of_the_engine(option, dtype, dropout):
    both = Both(small_config(option), dtype, DROPOUT[dropout])
    runs = [
        engine.forward(both.given, keep=Keep.EVERYTHING, outputs=("loss",))
        for engine in (both.numpy, both.torch)
    ]
    assert_same(*(run.values for run in runs))
    steps = [node.name for node in both.graph.nodes]
    ours = both.numpy.backward(runs[0], keep_nodes=steps)
    theirs = both.torch.backward(runs[1], keep_nodes=steps)
    assert_same(ours.nodes, theirs.nodes)
    assert_same(ours.parameters, theirs.parameters)


@EVERY_OPTION
@EVERY_DTYPE
@pytest.mark.parametrize("dropout", DROPOUT)
@pytest.mark.parametrize("checkpointed", [False, True])
def test_the_module_as_it_is_trained(option, dtype, dropout, checkpointed):
    """With fused calls, and blocks worked out twice or not."""
    both = Both(small_config(option), dtype, DROPOUT[dropout])
    run = both.numpy.forward(both.given, keep=Keep.BACKWARD, outputs=("loss", "logits"))
    both.module.checkpoint_activations = checkpointed
    arguments, noise = both.tensors()
    output = both.module(*arguments, **noise)
    output.loss.backward()
    assert_close(run["logits"], output.logits.detach().numpy(), "logits")
    assert_close(run["loss"], output.loss.detach().numpy().reshape(1), "loss")
    gradients = {name: p.grad.numpy() for name, p in both.module.named_parameters()}
    assert_same(both.numpy.backward(run).parameters, gradients)


@EVERY_OPTION
@EVERY_DTYPE
def test_what_the_module_keeps_when_asked(option, dtype):
    both = Both(small_config(option), dtype)
    run = both.numpy.forward(both.given, keep=Keep.EVERYTHING, outputs=("loss",))
    arguments, noise = both.tensors()
    names = [*both.graph.facts]
    output = both.module(*arguments, **noise, keep=names)
    kept = {name: tensor.detach().numpy() for name, tensor in output.values.items()}
    kept["loss"] = kept["loss"].reshape(1)
    assert_same({name: run[name] for name in names}, kept)


@EVERY_OPTION
@EVERY_DTYPE
def test_decoding_with_a_cache_and_one_position_at_a_time(option, dtype):
    """Texts of three lengths side by side; two go on, in another order."""
    both = Both(small_config(option), dtype)
    ids = both.given["ids"]
    lengths = np.array([3, 2, 1])
    left = []
    for engine in (both.numpy, both.torch):
        cache = engine.new_cache(batch=3)
        first = {"ids": ids[:, :3]}
        runs = [engine.forward(first, cache=cache, counts=lengths, places=lengths - 1)]
        runs.append(engine.forward({"ids": ids[:, 3:4]}, cache=cache))
        cache.select(np.array([2, 0]))
        runs.append(engine.forward({"ids": ids[:2, 4:5]}, cache=cache, keep=Keep.EVERYTHING))
        left.append((runs, cache))
    for ours, theirs in zip(left[0][0], left[1][0], strict=True):
        assert_same(ours.values, theirs.values)
    np.testing.assert_array_equal(left[0][1].written, left[1][1].written)
    np.testing.assert_array_equal(left[0][1].lengths, left[1][1].lengths)


@EVERY_OPTION
@EVERY_DTYPE
@pytest.mark.parametrize("dropout", DROPOUT)
def test_one_position_of_each_text(option, dtype, dropout):
    both = Both(small_config(option), dtype, DROPOUT[dropout])
    places = np.array([5, 2, 0])
    keep = ["blocks.0.attn.keys", "blocks.0.attn.pattern"]
    runs = [
        engine.forward(both.texts, places=places, keep=keep) for engine in (both.numpy, both.torch)
    ]
    assert_same(*(run.values for run in runs))


@EVERY_DTYPE
def test_a_deeper_and_wider_model(dtype):
    """Wide enough for products to be made by another library than in the small ones."""

    def as_gpt2_is_drawn(config, dtype):
        return Model.from_config(config, seed=2, dtype=dtype).parameters

    both = Both(WIDE, dtype, draw=as_gpt2_is_drawn)
    arguments, _ = both.tensors()
    output = both.module(*arguments)
    output.loss.backward()
    run = both.numpy.forward(both.given, keep=Keep.BACKWARD, outputs=("loss", "logits"))
    assert_close(run["logits"], output.logits.detach().numpy(), "logits")
    gradients = {name: p.grad.numpy() for name, p in both.module.named_parameters()}
    assert_same(both.numpy.backward(run).parameters, gradients)


@EVERY_OPTION
@EVERY_DTYPE
def test_the_generation_of_every_option(option, dtype):
    """Several texts, drawn from, past the end of the window."""
    model = small_model(option, dtype=dtype)
    options = {"max_new_tokens": 7, "temperature": 0.8, "samples": 2, "seed": 4}
    prompts = [[1, 4, 5], [1, 9]]
    texts = [
        [(text.ids, text.stopped) for text in each.generate(ids=prompts, **options).finish().texts]
        for each in (model, model.using("torch", device="cpu"))
    ]
    assert texts[0] == texts[1]


@EVERY_DTYPE
def test_the_traces_of_a_generation(dtype):
    model = small_model(dtype=dtype, tokenizer=WORDS)
    traces = [
        each.generate("ash bud", max_new_tokens=4, trace=True).finish().traces
        for each in (model, model.using("torch", device="cpu"))
    ]
    assert len(traces[0]) > 0
    for ours, theirs in zip(*traces, strict=True):
        assert ours.ids == theirs.ids
        assert_same(ours.values, theirs.values)


def test_the_vocabularys_padding_is_never_drawn():
    words = Tokenizer.words(["ash bud elm"])
    model = small_model(tokenizer=words).using("torch", device="cpu")
    steps = model.generate("ash", max_new_tokens=6, temperature=50.0, seed=1)
    assert {step.id for step in steps} <= set(range(words.vocab_size))
    assert np.isneginf(model.next_logits([3])[words.vocab_size :]).all()
