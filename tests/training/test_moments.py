"""What one optimizer remembers is what the other would, in its own words."""

import numpy as np
import pytest
import torch

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.training.moments import MEANS, SUMS, whole
from pellucid.training.optimizers import Adam
from tests.small_models import small_config

SPECS = parameter_specs(build_graph(small_config()))
SIZE = sum(spec.size for spec in SPECS.values())
BETAS = (0.9, 0.99)


@pytest.fixture
def states():
    """What NumPy's and PyTorch's optimizers remember of the same gradients, float64."""
    ours = Adam(SIZE, dtype="float64", beta1=BETAS[0], beta2=BETAS[1])
    parameters = np.zeros(SIZE)
    tensor = torch.zeros(SIZE, dtype=torch.float64, requires_grad=True)
    theirs = torch.optim.Adam([tensor], lr=0.01, betas=BETAS)
    rng = np.random.default_rng(0)
    for _ in range(5):
        gradients = rng.normal(size=SIZE)
        ours.step(parameters, gradients, learning_rate=0.01)
        tensor.grad = torch.tensor(gradients)
        theirs.step()
    steps = {"steps": np.array([5])}
    sums = dict(zip(SUMS, (ours.first, ours.second), strict=True))
    means = {kind: theirs.state[tensor][kind].numpy() for kind in MEANS}
    return sums | steps, means | steps


def cut(state, kinds, name, rows):
    """Some rows of a parameter out of a state that has all end to end."""
    start = 0
    for other, spec in SPECS.items():
        if other == name:
            return [
                state[kind][start : start + spec.size].reshape(spec.shape)[rows] for kind in kinds
            ]
        start += spec.size
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["token_embedding", "blocks.1.attn.w_q", "head.b"])
def test_each_reads_what_the_other_wrote(states, name):
    sums, means = states
    rows = slice(1, 4)
    for state in states:
        moments = whole(state, SPECS)
        assert moments is not None
        assert moments.steps == 5
        found = moments.sums(name, BETAS, 1, 4), moments.means(name, BETAS, 1, 4)
        expected = cut(sums, SUMS, name, rows), cut(means, MEANS, name, rows)
        for pair, twin in zip(found, expected, strict=True):
            np.testing.assert_allclose(pair, twin, rtol=1e-12)


def test_each_reads_its_own_to_the_last_bit(states):
    sums, means = (whole(state, SPECS) for state in states)
    assert sums is not None
    assert means is not None
    for name, spec in SPECS.items():
        everything = slice(None)
        own = cut(states[0], SUMS, name, everything), cut(states[1], MEANS, name, everything)
        length = spec.shape[0]
        for pair, twin in zip(sums.sums(name, BETAS, 0, length), own[0], strict=True):
            np.testing.assert_array_equal(pair, twin)
        for pair, twin in zip(means.means(name, BETAS, 0, length), own[1], strict=True):
            np.testing.assert_array_equal(pair, twin)


def test_another_models_state_is_none_of_this_one(states):
    sums, _ = states
    assert whole({**sums, "first": sums["first"][1:]}, SPECS) is None
    assert whole({name: sums[name] for name in ("first", "steps")}, SPECS) is None
    assert whole({}, SPECS) is None
