"""Dropout: how much is left out, and what the choice depends on."""

import numpy as np
import pytest

from pellucid.ops.dropout import Dropout, noise_keys


def kept(op, keys, shape=(4, 50, 40)):
    output, (mask,) = op.forward([np.ones(shape, dtype=np.float32), keys], [])
    assert np.array_equal(output, mask)
    return mask


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_so_much_is_left_out_and_the_mean_stays(rate):
    mask = kept(Dropout(rate, "here"), noise_keys(0, 0, np.arange(4)))
    left_out = (mask == 0).mean()
    # Four standard deviations of a share of 8,000 independent draws.
    assert abs(left_out - rate) < 4 * np.sqrt(rate * (1 - rate) / mask.size)
    np.testing.assert_allclose(mask[mask > 0], 1 / (1 - rate), rtol=1e-6)


def test_a_texts_mask_does_not_depend_on_its_neighbours():
    op, keys = Dropout(0.5, "here"), noise_keys(3, 7, np.arange(4))
    whole = kept(op, keys)
    alone = [kept(op, keys[i : i + 1], (1, 50, 40))[0] for i in range(4)]
    assert np.array_equal(whole, np.stack(alone))


def test_seed_step_sample_and_place_each_change_the_mask():
    masks = [
        kept(Dropout(0.5, place), noise_keys(seed, step, np.array([sample])), (1, 10, 10)).tobytes()
        for place in ("here", "there")
        for seed in (0, 1)
        for step in (0, 1)
        for sample in (0, 1)
    ]
    assert len(set(masks)) == 16


def test_keys_of_many_steps_and_samples_differ():
    keys = np.concatenate(
        [noise_keys(seed, s, np.arange(64)) for seed in (0, 1) for s in range(64)]
    )
    assert len(np.unique(keys)) == 2 * 64 * 64
