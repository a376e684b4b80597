"""What a step takes is foreseen: held against what autograd really keeps."""

from contextlib import nullcontext

import pytest
import torch

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.presets import preset
from pellucid.engine.torch_module import TorchDecoder
from pellucid.model.model import Model
from pellucid.training.execution import Execution
from pellucid.training.torch_memory import BUFFERS, bytes_needed, bytes_there, window_bytes

CONFIG = preset("nano")
WINDOWS = 3


def kept_per_window(execution, dropout):
    """Bytes that autograd holds after the way forwards, parameters aside."""
    graph = build_graph(CONFIG, dropout=dropout)
    module = TorchDecoder(graph, Model.from_config(CONFIG).parameters)
    module.checkpoint_activations = execution.checkpoint_activations
    learned = {parameter.untyped_storage().data_ptr() for parameter in module.parameters()}
    held = {}

    def hold(tensor):
        memory = tensor.untyped_storage()
        if memory.data_ptr() not in learned:
            # The tensor too: memory that is let go of would be given out again.
            held[memory.data_ptr()] = (memory.nbytes(), tensor)
        return tensor

    ids = torch.zeros((WINDOWS, CONFIG.block_size), dtype=torch.int64)
    noise = torch.arange(WINDOWS) if dropout else None
    casting = torch.autocast("cpu", torch.bfloat16) if execution.autocast else nullcontext()
    with torch.autograd.graph.saved_tensors_hooks(hold, lambda tensor: tensor), casting:
        module(ids, ids, noise=noise)
    return sum(size for size, _ in held.values()) / WINDOWS


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize("changes", [{}, {"checkpoint_activations": True}])
def test_it_is_what_autograd_keeps_and_some_room(changes, dropout):
    execution = Execution(engine="torch", **changes)
    graph = build_graph(CONFIG, dropout=dropout)
    foreseen = window_bytes(graph, execution, "float32", CONFIG.block_size)
    kept = kept_per_window(execution, dropout)
    one_block = kept_per_window(Execution(engine="torch"), dropout) / CONFIG.n_layer
    # With activations worked out again, a block's own come on top while it is at work.
    least = kept + (one_block if changes else 0)
    assert 0.8 * least < foreseen < 1.6 * least


def needed(shards=1, windows=1, **changes):
    return bytes_needed(
        build_graph(CONFIG),
        Execution(engine="torch", **changes),
        "float32",
        windows=windows,
        block_size=CONFIG.block_size,
        shards=shards,
    )


def test_what_is_said_to_take_less_takes_less():
    assert needed(windows=1) < needed(windows=4)
    assert needed(checkpoint_activations=True) < needed()
    assert needed(shards=8) < needed()
    assert needed(windows=64, autocast=True) < needed(windows=64)


def test_parameters_gradients_and_moments_are_counted():
    learned = 4 * Model.from_config(CONFIG).n_parameters
    graph = build_graph(CONFIG)
    window = window_bytes(graph, Execution(engine="torch"), "float32", CONFIG.block_size)
    assert needed() == BUFFERS * learned + window


def test_processes_of_a_machine_share_what_there_is():
    alone, shared = (bytes_there(torch.device("cpu"), n) for n in (1, 4))
    assert alone is None or (shared is not None and 0 < shared < alone / 2)
