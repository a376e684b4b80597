"""The decoder as a torch module: its names, its memory, and what torch can do with it."""

import copy
import pickle

import numpy as np
import pytest
import torch

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import FlatParameters, parameter_specs
from pellucid.engine.torch_module import TorchDecoder
from pellucid.errors import PellucidError
from tests.engine.small_engines import IDS, TARGETS
from tests.small_models import OPTIONS, random_parameters, small_config

pytestmark = pytest.mark.usefixtures("one_torch_thread")

TEXTS, NEXT = torch.from_numpy(IDS), torch.from_numpy(TARGETS)


def build(option="as it is", *, dropout=0.0, **how):
    config = small_config(option)
    return TorchDecoder(build_graph(config, dropout=dropout), random_parameters(config), **how)


# Names


@pytest.mark.parametrize("option", OPTIONS)
def test_the_state_has_our_names_shapes_and_numbers(option):
    config = small_config(option)
    parameters = random_parameters(config)
    state = TorchDecoder(build_graph(config), parameters).state_dict()
    assert set(state) == set(parameters)
    for name, array in parameters.items():
        np.testing.assert_array_equal(state[name].numpy(), array)


def test_each_scope_is_a_module_of_its_own():
    module = build()
    assert len(module.blocks) == 2
    assert set(dict(module.blocks[1].named_children())) == {"norm1", "attn", "norm2", "mlp"}
    assert module.blocks[1].attn.w_q is dict(module.named_parameters())["blocks.1.attn.w_q"]
    assert module.final_norm.gamma.shape == (8,)


def test_a_tied_heads_table_is_one_parameter():
    module = build("tied head, no head bias")
    assert "head.w" not in module.state_dict()
    assert not hasattr(module, "head")


# Memory


def test_parameters_that_can_be_written_to_stay_on_their_memory():
    config = small_config()
    parameters = random_parameters(config)
    flat = FlatParameters.copy_of(parameters, parameter_specs(build_graph(config)))
    module = TorchDecoder(build_graph(config), flat)
    with torch.no_grad():
        module.blocks[0].attn.w_q.add_(1)
    np.testing.assert_array_equal(flat["blocks.0.attn.w_q"], parameters["blocks.0.attn.w_q"] + 1)


@pytest.mark.parametrize("share", [False, True])
def test_read_only_parameters_are_copied_unless_they_are_to_be_shared(share):
    config = small_config()
    parameters = random_parameters(config)
    for array in parameters.values():
        array.flags.writeable = False
    module = TorchDecoder(build_graph(config), parameters, share=share)
    for name, tensor in module.named_parameters():
        assert (tensor.data_ptr() == parameters[name].ctypes.data) is share
        assert tensor.requires_grad


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_another_dtype_is_another_memory(dtype):
    config = small_config()
    parameters = random_parameters(config)
    before = {name: array.copy() for name, array in parameters.items()}
    module = TorchDecoder(build_graph(config), parameters, dtype=dtype)
    with torch.no_grad():
        for tensor in module.parameters():
            assert tensor.dtype == getattr(torch, dtype)
            tensor.zero_()
    for name, array in before.items():
        np.testing.assert_array_equal(parameters[name], array)


# What comes out


def test_logits_come_without_a_loss_where_there_are_no_targets():
    output = build()(TEXTS)
    assert output.logits.shape == (3, 6, 11)
    assert output.loss is None
    assert output.values == {}


def test_what_is_kept_comes_by_its_one_name():
    output = build()(TEXTS, NEXT, keep={"blocks.1.resid_pre", "final_norm.rstd"})
    assert set(output.values) == {"blocks.0.resid_post", "final_norm.rstd"}


def test_positions_may_be_given():
    module = build()
    moved = torch.arange(3).expand(3, 3) + 2
    kept = module(TEXTS[:, :3], positions=moved, keep=["embed.positions"]).values
    assert torch.equal(kept["embed.positions"][0], module.position_embedding[2:5])


def test_a_name_that_is_none_of_the_graphs_is_said():
    with pytest.raises(PellucidError, match="Did you mean logits"):
        build()(TEXTS, keep=["logit"])


def test_a_parameter_that_is_missing_is_said():
    config = small_config()
    parameters = random_parameters(config)
    del parameters["head.w"]
    with pytest.raises(PellucidError, match=r"lack head\.w"):
        TorchDecoder(build_graph(config), parameters)


# Precision


def test_under_autocast_the_stream_norms_and_loss_stay_float32():
    config = small_config()
    module = TorchDecoder(build_graph(config), random_parameters(config, dtype="float32"))
    names = ["attn.q", "attn.pattern.sum", "norm1", "resid_post"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = module(TEXTS, NEXT, keep=[f"blocks.1.{name}" for name in names])
    kinds = [output.values[f"blocks.1.{name}"].dtype for name in names]
    assert kinds == [torch.bfloat16, torch.float32, torch.float32, torch.float32]
    assert output.loss.dtype == torch.float32
    exact = module(TEXTS, NEXT).loss.item()
    assert output.loss.item() == pytest.approx(exact, rel=0.02)
    assert output.loss.item() != exact


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("option", OPTIONS)
def test_a_module_of_16_bits_has_a_finite_loss_near_the_exact_one(option, dtype):
    config = small_config(option)
    graph, parameters = build_graph(config), random_parameters(config)
    output = TorchDecoder(graph, parameters, dtype=dtype)(TEXTS, NEXT)
    assert output.logits.dtype == getattr(torch, dtype)
    exact = TorchDecoder(graph, parameters)(TEXTS, NEXT).loss.item()
    assert output.loss.item() == pytest.approx(exact, rel=0.05)


# What torch can do with it


def test_copies_and_pickles_are_modules_of_their_own():
    module = build("tied head", dropout=0.2)
    noise = torch.arange(3)
    expected = module(TEXTS, NEXT, noise=noise).loss
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(other(TEXTS, NEXT, noise=noise).loss, expected)
        with torch.no_grad():
            other.token_embedding.zero_()
    assert torch.equal(module(TEXTS, NEXT, noise=noise).loss, expected)


def test_a_state_can_be_loaded():
    module, other = build(), build()
    with torch.no_grad():
        for tensor in other.parameters():
            tensor.zero_()
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(TEXTS).logits, module(TEXTS).logits)


def test_blocks_are_called_as_modules_so_hooks_on_them_run():
    module = build()
    seen = []
    for block in module.blocks:
        block.register_forward_hook(lambda block, given, made: seen.append(block))
    module(TEXTS)
    assert seen == list(module.blocks)


def test_what_is_put_in_a_parameters_place_is_used():
    """As sharding does: the parameter is looked up each time."""
    module = build()
    before = module(TEXTS).logits
    module.blocks[0].attn.w_q = torch.nn.Parameter(torch.zeros_like(module.blocks[0].attn.w_q))
    assert not torch.equal(module(TEXTS).logits, before)


def test_checkpointed_blocks_keep_less_and_give_the_same():
    module = build(dropout=0.2)
    noise = torch.arange(3)

    def kept_and_gradients():
        sizes: dict[int, int] = {}

        def count(tensor):
            sizes[tensor.data_ptr()] = tensor.nbytes
            return tensor

        module.zero_grad()
        with torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor):
            loss = module(TEXTS, NEXT, noise=noise).loss
        kept = sum(sizes.values())
        loss.backward()
        return kept, [p.grad.clone() for p in module.parameters()]

    plain, gradients = kept_and_gradients()
    module.checkpoint_activations = True
    less, again = kept_and_gradients()
    assert less < plain / 2
    for one, other in zip(gradients, again, strict=True):
        assert torch.equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [0.0, 0.2])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The .grad attribute")
def test_blocks_can_be_compiled_without_a_break(dropout):
    module, compiled = build("tied head", dropout=dropout), build("tied head", dropout=dropout)
    for block in compiled.blocks:
        block.compile(fullgraph=True)
    noise = torch.arange(3)
    outputs = [each(TEXTS, NEXT, noise=noise) for each in (module, compiled)]
    for output in outputs:
        output.loss.backward()
    assert outputs[1].loss.item() == pytest.approx(outputs[0].loss.item(), rel=1e-10)
    for one, other in zip(module.parameters(), compiled.parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad, rtol=0, atol=1e-10)
