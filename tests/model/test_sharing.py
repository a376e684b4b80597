"""A model may hold arrays that are not its own, and those of 16 bits; nobody writes through it."""

import copy
from typing import Any

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.model.sharing import WidenedOnUse, share
from pellucid.ops.half import HalfMatrix
from tests.small_models import random_ids, random_parameters, small_config, small_model


def test_arrays_are_held_as_they_are_and_closed():
    config = small_config()
    arrays = random_parameters(config, dtype="float32")
    model = Model(config, arrays, copy=False)
    for name, array in arrays.items():
        assert np.shares_memory(model.parameters[name], array)
        with pytest.raises(ValueError, match="read-only"):
            model.parameters[name][...] = 0
        assert array.flags.writeable


def test_without_being_asked_a_model_takes_copies():
    config = small_config()
    arrays = random_parameters(config, dtype="float32")
    model = Model(config, arrays)
    assert not any(np.shares_memory(model.parameters[name], arrays[name]) for name in arrays)


def test_another_precision_is_a_copy():
    config = small_config()
    arrays = random_parameters(config, dtype="float32")
    model = Model(config, arrays, dtype="float64", copy=False)
    assert model.dtype == "float64"
    assert not any(np.shares_memory(model.parameters[name], arrays[name]) for name in arrays)


def test_what_lies_askew_is_copied():
    askew = np.frombuffer(b"\0" * 17, dtype=np.uint8)[1:].view(np.float32)
    assert not askew.flags.aligned
    held = share(askew, "float32")
    assert held.flags.aligned
    assert np.array_equal(held, askew)


def half_model():
    model = small_model("tied head", dtype="float32")
    halves: dict[str, Any] = {
        name: HalfMatrix(array.astype(np.float16)) if array.ndim == 2 else array
        for name, array in model.parameters.items()
    }
    wide = {name: np.asarray(array) for name, array in halves.items()}
    return Model(model.config, halves, copy=False), Model(model.config, wide)


def test_matrices_of_16_bits_stay_so_and_read_as_float32():
    model, wide = half_model()
    assert isinstance(model.parameters, WidenedOnUse)
    assert list(model.parameters) == list(wide.parameters)
    assert isinstance(model.engine.parameters["token_embedding"], HalfMatrix)
    for name, array in wide.parameters.items():
        assert np.array_equal(model.parameters[name], array)
        assert not model.parameters[name].flags.writeable
    assert model.n_parameters == wide.n_parameters
    assert model.labelled_parameters.digest == wide.labelled_parameters.digest


def test_a_model_of_16_bits_computes_and_learns_as_the_widened_one():
    model, wide = half_model()
    ids = random_ids(model.config)
    assert np.allclose(model.logits(ids), wide.logits(ids), rtol=1e-5, atol=1e-6)
    mine, theirs = model.gradients(ids, ids), wide.gradients(ids, ids)
    for name, grad in theirs.items():
        assert np.allclose(mine[name], grad, rtol=1e-4, atol=1e-6)
    double = model.astype("float64")
    assert double.dtype == "float64"
    again = copy.deepcopy(model)
    assert np.array_equal(again.logits(ids), wide.logits(ids))
