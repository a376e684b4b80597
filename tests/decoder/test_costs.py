"""What a shape costs, held against models that are there."""

import pytest

from pellucid.decoder.costs import costs
from pellucid.decoder.presets import PRESETS
from pellucid.model.model import Model
from tests.small_models import OPTIONS, SMALL

SIZES = {
    "baby-groot": 968,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}
"""GPT-2's are those that its authors' weights have; tied heads count once."""


@pytest.mark.parametrize(("name", "expected"), SIZES.items())
def test_parameters_of_known_shapes(name, expected):
    assert costs(PRESETS[name]).n_parameters == expected
    assert costs(PRESETS[name]).weight_bytes == 4 * expected


@pytest.mark.parametrize("changes", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_counted_is_what_there_is(changes, dtype):
    model = Model.from_config(SMALL.replace(**changes), dtype=dtype)
    counted = costs(model.config, dtype=dtype)
    assert counted.n_parameters == model.n_parameters
    assert counted.weight_bytes == sum(values.nbytes for values in model.parameters.values())


@pytest.mark.parametrize("changes", OPTIONS.values(), ids=OPTIONS)
def test_a_cache_takes_what_is_said(changes):
    model = Model.from_config(SMALL.replace(**changes))
    kept = [name for name in model.graph.facts if name.endswith((".keys", ".values"))]
    trace = model.trace(ids=[1, 2, 3, 4], names=kept)
    held = sum(values.nbytes for values in trace.values.values())
    assert costs(model.config).cache_bytes(4) == held


def test_grouped_heads_share_what_a_cache_holds():
    one, two = (costs(SMALL.replace(n_kv_head=n)) for n in (1, 2))
    assert two.cache_bytes(6) == 2 * one.cache_bytes(6)
    assert one.cache_bytes(6) == 4 * 2 * SMALL.n_layer * SMALL.d_head * 6


def test_the_products_of_a_forward_pass_are_most_of_its_operations():
    gpt2 = costs(PRESETS["gpt2"])
    tables = sum(s.size for s in gpt2.parameters.values() if s.kind == "matrix")
    head = 50_257 * 768
    products = 2 * (tables + head)
    assert products < gpt2.flops(1) < 1.01 * products
    # A longer text adds scores and mixes: 4 · d_model for each pair of positions and block.
    attention = 4 * 768 * 12 * 1024**2
    assert gpt2.flops(1024) == pytest.approx(1024 * products + attention, rel=0.01)
