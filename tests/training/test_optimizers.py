"""Adam and AdamW move parameters as torch.optim's do, in place, and decay matrices alone."""

import numpy as np
import pytest
import torch

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.decoder.presets import preset
from pellucid.training.optimizers import Adam, AdamW, matrices

STEPS = 200
ROUNDING = {"float32": 2.0**-24, "float64": 2.0**-53}
OPTIONS = [{}, {"beta1": 0.8, "beta2": 0.95}, {"epsilon": 1e-3}, {"beta1": 0.0}]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def gradients_of(rng, size, dtype):
    """Gradients of very different sizes, some of them zero, a row for each step."""
    sizes = 10.0 ** rng.uniform(-6, 2, size)
    drawn = rng.standard_normal((STEPS, size)) * sizes
    drawn[:, :5] = 0
    return drawn.astype(dtype)


def rates():
    """A rate for each step that changes all the time."""
    return [0.03 * (1 - step / STEPS) for step in range(STEPS)]


def torch_moves(optimizer, start, gradients, *, options, decayed=None, weight_decay=0.0):
    """Parameters [parameter] after torch's optimizer has seen all gradients."""
    decayed = np.zeros(start.size, bool) if decayed is None else decayed
    parts = [torch.tensor(start[mask], requires_grad=True) for mask in (decayed, ~decayed)]
    groups = [
        {"params": [part], "weight_decay": decay}
        for part, decay in zip(parts, (weight_decay, 0.0), strict=True)
    ]
    betas = options.get("beta1", 0.9), options.get("beta2", 0.999)
    theirs = optimizer(groups, betas=betas, eps=options.get("epsilon", 1e-8))
    for row, rate in zip(gradients, rates(), strict=True):
        for group, part, mask in zip(theirs.param_groups, parts, (decayed, ~decayed), strict=True):
            group["lr"] = rate
            part.grad = torch.tensor(row[mask])
        theirs.step()
    moved = np.empty_like(start)
    moved[decayed], moved[~decayed] = (part.detach().numpy() for part in parts)
    return moved


def our_moves(optimizer, start, gradients):
    parameters = start.copy()
    for row, rate in zip(gradients, rates(), strict=True):
        optimizer.step(parameters, row, learning_rate=rate)
    return parameters


def assert_equal_to_rounding(ours, theirs, dtype):
    """Each step may round once at the parameter's own size, which stays below 10 here."""
    assert np.abs(theirs).max() < 10
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=10 * STEPS * ROUNDING[dtype])


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_adam_is_torchs(rng, dtype, options):
    start, gradients = rng.standard_normal(50).astype(dtype), gradients_of(rng, 50, dtype)
    ours = our_moves(Adam(50, dtype=dtype, **options), start, gradients)
    assert ours.dtype == dtype
    assert_equal_to_rounding(
        ours, torch_moves(torch.optim.Adam, start, gradients, options=options), dtype
    )


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_adamw_is_torchs(rng, dtype, options):
    start, gradients = rng.standard_normal(50).astype(dtype), gradients_of(rng, 50, dtype)
    decayed = rng.random(50) < 0.5
    ours = our_moves(AdamW(decayed, weight_decay=0.3, dtype=dtype, **options), start, gradients)
    theirs = torch_moves(
        torch.optim.AdamW, start, gradients, options=options, decayed=decayed, weight_decay=0.3
    )
    assert_equal_to_rounding(ours, theirs, dtype)


def test_the_first_step_is_the_rate_against_the_gradients_sign():
    parameters = np.zeros(3)
    Adam(3, dtype="float64").step(parameters, np.array([5.0, -0.001, 0.0]), learning_rate=0.1)
    np.testing.assert_allclose(parameters, [-0.1, 0.1, 0], atol=1e-5)


def test_parameters_without_a_gradient_only_decay():
    parameters = np.array([2.0, 2.0])
    optimizer = AdamW(np.array([True, False]), weight_decay=0.5, dtype="float64")
    for _ in range(3):
        optimizer.step(parameters, np.zeros(2), learning_rate=0.1)
    np.testing.assert_allclose(parameters, [2 * 0.95**3, 2], rtol=1e-15)


def test_gradients_are_left_as_they_are(rng):
    gradients = rng.standard_normal(8)
    before = gradients.copy()
    AdamW(np.ones(8, bool), dtype="float64").step(np.ones(8), gradients, learning_rate=0.1)
    np.testing.assert_array_equal(gradients, before)


@pytest.mark.parametrize("name", ["baby-groot", "lesson-3", "nano"])
def test_only_matrices_decay(name):
    specs = parameter_specs(build_graph(preset(name)))
    mask, start = matrices(specs), 0
    assert len(mask) == sum(spec.size for spec in specs.values())
    for name, spec in specs.items():
        part = mask[start : start + spec.size]
        is_matrix = name.rsplit(".", 1)[-1].startswith("w")
        assert (part == is_matrix).all(), name
        start += spec.size
