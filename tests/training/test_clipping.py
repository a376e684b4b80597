"""A long gradient is made as long as it may be, and keeps its direction."""

import numpy as np
import pytest

from pellucid.training.clipping import clip, gradient_norm

GRADIENTS = np.array([3.0, 0.0, -4.0])


def test_the_norm_is_the_length_of_the_whole():
    assert gradient_norm(GRADIENTS) == 5
    assert gradient_norm(GRADIENTS.astype(np.float32)) == 5


@pytest.mark.parametrize("longest", [0.1, 1.0, 4.999])
def test_a_longer_one_becomes_as_long_as_allowed(longest):
    clipped = GRADIENTS.copy()
    clip(clipped, norm=5.0, longest=longest)
    assert gradient_norm(clipped) == pytest.approx(longest)
    np.testing.assert_allclose(clipped / longest, GRADIENTS / 5)


@pytest.mark.parametrize("longest", [5.0, 6.0, 0.0])
def test_a_shorter_one_stays_and_0_allows_any(longest):
    clipped = GRADIENTS.copy()
    clip(clipped, norm=5.0, longest=longest)
    np.testing.assert_array_equal(clipped, GRADIENTS)


def test_it_clips_as_torch_does():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    parameters = [torch.zeros(3, 4, requires_grad=True), torch.zeros(5, requires_grad=True)]
    for parameter in parameters:
        parameter.grad = torch.tensor(rng.standard_normal(parameter.shape), dtype=torch.float32)
    flat = np.concatenate([parameter.grad.numpy().ravel() for parameter in parameters])
    norm = torch.nn.utils.clip_grad_norm_(parameters, 0.5)
    assert gradient_norm(flat) == pytest.approx(norm.item(), rel=1e-6)
    clip(flat, norm=gradient_norm(flat), longest=0.5)
    expected = np.concatenate([parameter.grad.numpy().ravel() for parameter in parameters])
    np.testing.assert_allclose(flat, expected, rtol=1e-5)
