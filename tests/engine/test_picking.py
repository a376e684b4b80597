"""Reading one place of each text gives what reading all of them gives there, with less work."""

import numpy as np
import pytest

from pellucid.engine.cache import KeyValueCache
from pellucid.engine.plan import Keep
from tests.engine.small_engines import IDS, build
from tests.small_models import OPTIONS

PLACES = np.array([5, 0, 3])
TEXTS = np.arange(len(IDS))


def forward(engine, **options):
    return engine.forward({"ids": IDS}, **options)


def shapes(engine, **options):
    """How long every tensor is along each of its dims, by name."""
    seen = {}

    def look(name, x):
        seen[name] = dict(zip(engine.graph.facts[name].dims, x.shape[1:], strict=True))
        return x

    forward(engine, intervene=look, **options)
    return seen


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(("dtype", "apart"), [("float64", 1e-13), ("float32", 1e-5)])
def test_one_place_has_the_numbers_it_has_among_all(option, dtype, apart):
    engine = build(option, dtype=dtype)
    outputs = ("logits", "probs")
    one, every = forward(engine, outputs=outputs, places=PLACES), forward(engine, outputs=outputs)
    for name in outputs:
        assert one[name].shape == (3, 1, 11)
        np.testing.assert_allclose(
            one[name][:, 0], every[name][TEXTS, PLACES], rtol=apart, atol=apart
        )


def test_the_rest_of_a_text_plays_no_part_in_it(each_engine):
    changed = np.where(np.arange(6) > PLACES[:, None], 0, IDS)
    np.testing.assert_array_equal(
        each_engine.forward({"ids": changed}, places=PLACES)["logits"],
        forward(each_engine, places=PLACES)["logits"],
    )


def test_only_the_last_keys_and_values_are_worked_out_everywhere(each_engine):
    seen = shapes(each_engine, places=PLACES)
    last = max(name.split(".")[1] for name in seen if name.startswith("blocks."))
    for name in ("q", "scores", "pattern", "z"):
        lengths = seen[f"blocks.{last}.attn.{name}"]
        assert lengths.get("query", lengths.get("position")) == 1
    assert seen[f"blocks.{last}.attn.k"]["position"] == 6
    assert seen[f"blocks.{last}.attn.scores"]["key"] == 6
    assert seen.get(f"blocks.{last}.mlp.pre", seen["logits"])["position"] == 1
    for name in (f"blocks.{last}.resid_mid", "logits"):
        assert seen[name]["position"] == 1


def test_without_places_every_step_is_done_everywhere(each_engine):
    for lengths in shapes(each_engine).values():
        assert {lengths[dim] for dim in ("position", "query", "key") if dim in lengths} == {6}


def test_what_all_positions_need_is_kept_whole(engine):
    run = forward(engine, keep=Keep.EVERYTHING, places=PLACES)
    assert run["blocks.1.attn.v"].shape[2] == 6
    assert run["blocks.1.attn.pattern"].shape[2:] == (1, 6)


def test_a_cache_that_was_filled_by_it_is_as_full(each_engine):
    caches = [KeyValueCache(each_engine.graph, batch=3, dtype=each_engine.dtype) for _ in "ab"]
    counts = PLACES + 1
    one = forward(each_engine, cache=caches[0], counts=counts, places=PLACES)["logits"]
    every = forward(each_engine, cache=caches[1], counts=counts)["logits"]
    np.testing.assert_allclose(one[:, 0], every[TEXTS, PLACES], rtol=1e-13, atol=1e-13)
    for name, keys in caches[0].store.items():
        np.testing.assert_array_equal(keys, caches[1].store[name])
    np.testing.assert_array_equal(caches[0].lengths, counts)
