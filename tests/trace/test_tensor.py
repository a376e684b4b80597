"""A tensor of a trace is an array that knows what it is."""

import numpy as np
import pytest

from pellucid.trace.tensor import TracedTensor, lock


@pytest.fixture
def tensor():
    return TracedTensor(
        "embed.out", lock(np.arange(6.0).reshape(2, 3)), ("position", "d_model"), {}, "", ""
    )


def test_numpy_reads_it_as_its_values(tensor):
    assert np.array_equal(np.asarray(tensor), tensor.values)
    assert np.add(tensor, 1).sum() == 21
    assert np.asarray(tensor, dtype=np.float32).dtype == np.float32


def test_a_copy_of_it_can_be_written_to_and_leaves_it(tensor):
    copy = np.array(tensor)
    copy[0, 0] = 9
    assert tensor.values[0, 0] == 0


def test_locking_reaches_what_an_array_is_a_view_of():
    base = np.zeros((2, 3))
    view = base.reshape(6)[2:]
    assert lock(view) is view
    for array in (view, base):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
