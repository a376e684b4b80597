"""Every family reads on with every kind of scaled positions, past the context of its training."""

import numpy as np
import pytest

from pellucid.interop.huggingface import read
from pellucid.interop.huggingface.families import FAMILIES
from tests.interop.huggingface import tiny_models as tiny
from tests.interop.huggingface.test_families import furthest, relative

CASES = [(family, kind) for family in tiny.TURNING for kind in tiny.KINDS]
WORTH_CACHING = {"linear": "gemma2", "yarn": "qwen3", "llama3": "mistral", "dynamic": "smollm3"}


@pytest.fixture
def folder(tmp_path):
    def folder(family, kind):
        tiny.make_case(tiny.scaled_case(family, kind), tmp_path)
        return tmp_path

    return folder


def test_families_that_turn_are_here_or_have_their_scaling_among_their_cases():
    folded = {name for name in FAMILIES if name not in tiny.TURNING}
    assert folded == {"gpt2", "gpt_bigcode", "gpt_neo", "gptj", "opt", "bloom", "llama", "phi3"}
    llamas = {name.partition(", ")[2] for name in tiny.CASES if name.startswith("llama, ")}
    assert set(tiny.KINDS) <= llamas
    assert "phi3, longrope" in tiny.CASES


@pytest.mark.parametrize(("family", "kind"), CASES)
def test_logits(family, kind, folder):
    place = folder(family, kind)
    model, theirs = read(place), tiny.reopened(place)
    assert model.config.rotary is not None
    assert model.config.rotary.scaling is not None
    assert model.config.rotary.scaling.kind == kind
    double, wide = read(place, dtype="float64"), tiny.doubled(theirs)
    for positions in (1, 7, furthest(model)):
        ids = tiny.random_ids(2, positions)
        assert relative(model.logits(ids), tiny.logits_of(theirs, ids)) <= 1e-4
        want = tiny.logits_of(wide, ids, double=True)
        assert relative(double.logits(ids), want) <= 1e-9


@pytest.mark.parametrize(("kind", "family"), WORTH_CACHING.items())
def test_a_cache_changes_nothing_past_the_original_context(kind, family, folder):
    model = read(folder(family, kind), dtype="float64")
    ids = tiny.random_ids(1, tiny.CONTEXT - 5)
    anew = ids[0].tolist()
    for _ in range(12):
        anew.append(int(np.argmax(model.logits([anew])[0, -1])))
    assert model.generate(ids=ids[0].tolist(), max_new_tokens=12).finish().texts[0].ids == anew
