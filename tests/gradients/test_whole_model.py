"""The gradients of a whole decoder, for each option of its config, against finite differences."""

from itertools import count
from typing import get_args

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.checks import CHOICES
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import FlatParameters, parameter_specs
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.plan import Keep
from pellucid.ops.product import LARGE
from tests.gradients.finite_differences import assert_slopes, slopes
from tests.small_models import OPTIONS, next_targets, random_ids, random_parameters, small_config

SMALL_PARAMETER = 16
SAMPLED_CELLS = 6
KINK = 1e-3
"""ReLU has no derivative at 0: its inputs keep this far away."""


def configs():
    return [small_config(option) for option in OPTIONS]


def test_every_choice_of_the_config_is_among_the_options():
    for name, choices in CHOICES.items():
        assert {getattr(config, name) for config in configs()} == set(get_args(choices)), name
    for name, annotation in ModelConfig.__annotations__.items():
        if annotation == "bool":
            assert {getattr(config, name) for config in configs()} == {True, False}, name


@pytest.fixture(params=OPTIONS)
def setting(request):
    """An engine on numbers that can be moved, and a batch with a target here and there."""
    config = small_config(request.param)
    graph = build_graph(config)
    ids = random_ids(config, batch=2, positions=5)
    targets = next_targets(ids)
    targets[0, 1] = -1
    given = {"ids": ids, "targets": targets}
    for seed in count():
        random = random_parameters(config, seed=seed)
        parameters = FlatParameters.copy_of(random, parameter_specs(graph))
        engine = NumpyEngine(graph, parameters)
        if config.activation != "relu" or kink_distance(engine, given) > KINK:
            return engine, given


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("positions", [1, 5, 20])
def test_weights_so_large_that_products_are_cut_up(tied, positions):
    config = ModelConfig(
        vocab_size=LARGE // 64, block_size=32, n_layer=1, n_head=2, n_embd=64, d_mlp=LARGE // 64,
        activation="gelu", tied_head=tied,
    )  # fmt: skip
    engine = NumpyEngine(build_graph(config), random_parameters(config))
    ids = random_ids(config, batch=1, positions=positions)
    given = {"ids": ids, "targets": ids[:, ::-1]}
    run = engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
    gradients = engine.backward(run).parameters

    def loss():
        return float(engine.forward(given, outputs=("loss",))["loss"][0])

    rng = np.random.default_rng(0)
    for name in ("token_embedding", "blocks.0.mlp.w_in", "blocks.0.mlp.w_out", "final_norm.gamma"):
        parameter = engine.parameters[name]
        cells = rng.choice(parameter.size, 3, replace=False)
        if name == "token_embedding":
            cells[0] = ids[0, 0] * config.n_embd
        assert_slopes(gradients[name], slopes(loss, parameter, cells), cells)


def kink_distance(engine, given):
    names = [name for name in engine.graph.facts if name.endswith("mlp.pre")]
    run = engine.forward(given, keep=names)
    return min(np.abs(run[name]).min() for name in names)


def test_parameters(setting):
    engine, given = setting
    run = engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
    gradients = engine.backward(run).parameters
    rng = np.random.default_rng(0)

    def loss():
        return float(engine.forward(given, outputs=("loss",))["loss"][0])

    assert set(gradients) == set(engine.parameters)
    for name, parameter in engine.parameters.items():
        assert gradients[name].shape == parameter.shape
        few = parameter.size <= SMALL_PARAMETER
        cells = np.arange(parameter.size)
        cells = cells if few else rng.choice(cells, SAMPLED_CELLS, replace=False)
        assert_slopes(gradients[name], slopes(loss, parameter, cells), cells)


def test_every_step_on_the_way_to_the_loss(setting):
    engine, given = setting
    run = engine.forward(given, keep=Keep.EVERYTHING, outputs=("loss",))
    gradients = engine.backward(run, keep_nodes=engine.graph.facts).nodes
    assert set(gradients) == {node.name for node in engine.graph.nodes} - {"probs"}
    rng = np.random.default_rng(0)
    for name, gradient in gradients.items():
        value = run[name].copy()

        def loss(name=name, value=value):
            put = engine.forward(
                given,
                outputs=("loss",),
                intervene=lambda step, output: value if step == name else output,
            )
            return float(put["loss"][0])

        movable = np.flatnonzero(np.isfinite(value))
        cells = rng.choice(movable, min(SAMPLED_CELLS, movable.size), replace=False)
        assert_slopes(gradient, slopes(loss, value, cells), cells)
