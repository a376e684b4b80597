"""The feed-forward network has the activation that its config names, and perhaps a gate."""

import numpy as np
import pytest

from pellucid.decoder.mlp import ACTIVATIONS
from tests.small_models import random_ids, small_model


def test_each_activation_goes_by_its_kind():
    assert {name: op.kind for name, op in ACTIVATIONS.items()} == {n: n for n in ACTIVATIONS}


@pytest.mark.parametrize("option", ["like llama 3", "shifts and biases everywhere"])
def test_a_gate_multiplies_what_is_beside_it(option):
    model = small_model(option)
    trace = model.trace(ids=random_ids(model.config, batch=1)[0])
    gate, opened, pre, post, x = (
        trace[f"blocks.1.{name}"].values
        for name in ("mlp.gate", "mlp.opened", "mlp.pre", "mlp.post", "norm2")
    )
    weight, bias = trace["blocks.1.mlp.w_gate"].values, trace.parameters.get("blocks.1.mlp.b_gate")
    shift = 0 if bias is None else bias.values
    np.testing.assert_allclose(gate, x @ weight + shift, rtol=0, atol=1e-12)
    (bent, _) = ACTIVATIONS[model.config.activation]().forward([gate], ())
    np.testing.assert_array_equal(opened, bent)
    np.testing.assert_array_equal(post, opened * pre)
