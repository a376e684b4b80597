"""A recorded step is the step, bit for bit, and what cannot be repeated is not recorded."""

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import FlatParameters, parameter_specs
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.recording import Recording, UnrecordableError, plain
from tests.small_models import OPTIONS, next_targets, random_ids, random_parameters, small_config

CELLS = np.array([1, 4])
CELLS.flags.writeable = False


def runs_afresh(config):
    """What its operations do depends on the numbers, or on arrays made on the way."""
    waves = config.position == "sinusoidal" or build_graph(config).reads_lengths
    return config.activation == "gelu" or waves


def build(option, dtype):
    config = small_config(option)
    graph = build_graph(config)
    drawn = random_parameters(config, dtype=dtype)
    parameters = FlatParameters.copy_of(drawn, parameter_specs(graph))
    return config, parameters, NumpyEngine(graph, parameters)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_the_same_calls_give_the_same_numbers_as_a_fresh_run(option, dtype):
    config, parameters, engine = build(option, dtype)
    recorded, fresh = parameters.zeros_like(), parameters.zeros_like()
    for seed in range(3):
        ids = random_ids(config, seed=seed)
        targets = next_targets(ids)
        targets[seed, seed] = -1
        loss = engine.loss_and_gradients(ids, targets, recorded)
        expected = engine.step({"ids": ids, "targets": targets}, fresh, fresh.buffer)
        assert loss == expected[0]
        assert np.array_equal(recorded.buffer, fresh.buffer)
        parameters.buffer -= 0.1 * recorded.buffer
    (step,) = engine.recorded.values()
    assert (step is None) == runs_afresh(config)


def test_each_shape_of_a_batch_has_a_recording():
    config, parameters, engine = build("as it is", "float32")
    out = parameters.zeros_like()
    for batch, positions in ((3, 6), (2, 6), (3, 5), (3, 6)):
        ids = random_ids(config, batch, positions)
        engine.loss_and_gradients(ids, next_targets(ids), out)
    assert len(engine.recorded) == 3


@pytest.fixture
def recording():
    return Recording()


@pytest.fixture
def watched(recording):
    return recording.watch(np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    "calculate",
    [
        lambda x: x + 1,
        lambda x: np.maximum(x, 2),
        lambda x: x.max(axis=1) + x[:, 0],
        lambda x: (x > 2) * 0.5,
        lambda x: x.argmax(axis=1) * 0.5 + 1,
        lambda x: x.T.dot(x),
        lambda x: np.dot(np.broadcast_to(1.0, (1, 2)), x)[0],
        lambda x: x.swapaxes(0, 1).reshape(-1),
        lambda x: np.add.reduce(x, axis=-1, keepdims=True),
        lambda x: np.where(x > 2, x, -np.inf),
        lambda x: x.take((x > 2).astype(int), axis=0),
        lambda x: x.ravel()[x.argmax(axis=1)],
        lambda x: (x[:, 1:] * x[..., :1]).astype("float32"),
    ],
)
def test_calls_are_made_again_on_new_numbers(calculate, recording, watched):
    result = calculate(watched)
    plain(watched)[...] = np.array([[5.0, -3.0, 2.0], [0.5, 7.0, 1.0]])
    recording.play()
    assert np.array_equal(plain(result), calculate(plain(watched)))
    assert result.dtype == calculate(plain(watched)).dtype


def test_writing_into_a_part_is_made_again(recording, watched):
    copy = watched * 1
    copy.ravel()[CELLS] -= watched[:, 0]
    copy[0, 2:] = watched[1, 2:]
    plain(watched)[...] += 10
    recording.play()
    assert plain(copy).tolist() == [[10, 1, 15], [13, 1, 15]]


@pytest.mark.parametrize(
    "calculate",
    [
        lambda x: float(x[0, 0:1]),
        lambda x: 1 if (x > 0).all() else 2,
        lambda x: x[0, 0] * 2,
        lambda x: x[:1] + np.ones((1, 2)).dot(x),
        lambda x: x[x > 2],
        lambda x: x[[0, 1], [1, 2]],
        lambda x: np.zeros(3) + x,
        lambda x: np.count_nonzero(x),
    ],
)
def test_what_would_not_be_repeated_is_refused(calculate, watched):
    with pytest.raises(UnrecordableError):
        calculate(watched)
