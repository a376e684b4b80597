"""Every family computes what `transformers` computes with the same folder."""

import json

import numpy as np
import pytest
import transformers

from pellucid.interop.huggingface import read
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.folder import find_family, read_config
from tests.interop.huggingface import tiny_models as tiny


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folder of each case, saved when it is first asked for."""
    root = tmp_path_factory.mktemp("families")
    cases = list(tiny.CASES)

    def folder(name):
        place = root / str(cases.index(name))
        if not place.exists():
            tiny.make(name, place)
        return place

    return folder


def furthest(model):
    """More positions than its scaled context was trained on, as many as it may read."""
    return min(model.config.block_size, 150)


def relative(got, want):
    return np.abs(got - want).max() / np.abs(want).max()


def test_every_family_is_among_the_cases():
    assert {name.partition(",")[0] for name in tiny.CASES} == set(FAMILIES)
    for family in FAMILIES:
        assert sum(name.partition(",")[0] == family for name in tiny.CASES) >= 2


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_cases_of_what_it_can_be(family):
    """Tied and untied; and, where there is a choice, grouped heads, biases, windows or none."""
    found = [config_of(name) for name in tiny.CASES if name.partition(",")[0] == family]
    assert {config.tied_head for config in found} == {False, True}
    grouped = {config.n_kv_head < config.n_head for config in found}
    assert True in grouped or family in NO_GROUPS
    biased = {(c.attention_bias, c.attention_output_bias, c.mlp_bias) for c in found}
    assert len(biased) > 1 or family in NO_CHOICE_OF_BIASES
    assert any(config.window for config in found) == (family in WINDOWS)


NO_GROUPS = {"gpt2", "gpt_neo", "gptj", "gpt_neox", "opt", "bloom"}
NO_CHOICE_OF_BIASES = {
    *("gpt2", "gpt_bigcode", "gpt_neo", "gptj", "bloom", "phi", "phi3", "mistral", "qwen2"),
    "gemma3_text",
}
WINDOWS = {
    *("gpt_neo", "starcoder2", "phi3", "mistral", "qwen2", "qwen3", "gemma2", "gemma3_text"),
    "smollm3",
}


def config_of(name):
    """Our config of a case, which need not be saved for it."""
    kind, sizes, options = tiny.CASES[name]
    config = getattr(transformers, f"{kind}Config")(**{**sizes, **options})
    fields = json.loads(config.to_json_string(use_diff=False))
    return read_config(find_family(fields), fields)


@pytest.mark.parametrize("name", tiny.CASES)
def test_logits(name, folders):
    model, theirs = read(folders(name)), tiny.reopened(folders(name))
    assert model.dtype == "float32"
    for positions in (1, 7, furthest(model)):
        ids = tiny.random_ids(2, positions)
        assert relative(model.logits(ids), tiny.logits_of(theirs, ids)) <= 1e-4
    double = read(folders(name), dtype="float64")
    theirs = tiny.doubled(theirs)
    for positions in (7, furthest(model)):
        ids = tiny.random_ids(2, positions)
        want = tiny.logits_of(theirs, ids, double=True)
        assert relative(double.logits(ids), want) <= 1e-9


@pytest.mark.parametrize("name", tiny.CASES)
def test_cached_decoding_and_hidden_states(name, folders):
    model, theirs = read(folders(name)), tiny.reopened(folders(name))
    ids = tiny.random_ids(1, 20, seed=2)
    last = "norm2" if model.config.norm_position == "post" else "resid_post"
    names = [f"blocks.{i}.{last}" for i in range(model.config.n_layer)]
    trace = model.trace(ids=ids[0].tolist(), names=names)
    for block, want in zip(names, tiny.after_blocks(theirs, ids), strict=True):
        assert relative(trace[block].values, want[0]) <= 1e-5
    double = tiny.doubled(theirs)
    made = model.astype("float64").generate(ids=ids[0].tolist(), max_new_tokens=40).finish()
    assert made.texts[0].ids[20:] == tiny.greedy(double, ids, 40, double=True)[0]


@pytest.mark.parametrize("name", tiny.CASES)
def test_what_a_config_leaves_out_is_what_transformers_fills_in(name, folders):
    fields = tiny.config_of(folders(name))
    whole = tiny.filled_in(fields)
    config = read_config(find_family(fields), fields)
    for field in fields.keys() - {"model_type"}:
        fewer = {other: value for other, value in fields.items() if other != field}
        if tiny.filled_in(fewer) == whole:
            assert read_config(find_family(fewer), fewer) == config, field


SCALED = [name for name, (_, _, options) in tiny.CASES.items() if "'factor'" in str(options)]
TURNED_ANEW = ("dynamic", "longrope")
"""Kinds of scaling whose angles change as a text outgrows the original context."""


@pytest.mark.parametrize("name", SCALED)
def test_decoding_past_the_original_context(name, folders):
    """With a cache as without. There `transformers` keeps keys as they were turned before."""
    model = read(folders(name), dtype="float64")
    rotary = model.config.rotary
    assert rotary is not None
    assert rotary.scaling is not None
    context = rotary.scaling.original_block_size or tiny.CONTEXT
    ids = tiny.random_ids(1, context - 5)
    anew = ids[0].tolist()
    for _ in range(15):
        anew.append(int(model.logits([anew])[0, -1].argmax()))
    assert model.generate(ids=ids[0].tolist(), max_new_tokens=15).finish().texts[0].ids == anew
    if rotary.scaling.kind not in TURNED_ANEW:
        theirs = tiny.doubled(tiny.reopened(folders(name)))
        assert anew[ids.shape[1] :] == tiny.greedy(theirs, ids, 15, double=True)[0]


def of_each_family():
    """The last case of each family, all but two of them slow."""
    last = {name.partition(",")[0]: name for name in tiny.CASES}
    fast = ("gemma3_text", "cohere")
    return [
        pytest.param(name, marks=() if family in fast else pytest.mark.slow)
        for family, name in last.items()
    ]


@pytest.mark.parametrize("name", of_each_family())
def test_every_number_and_gradient_is_explained(name, folders):
    """Worked out again from its operands, held against float64 and finite differences."""
    model = read(folders(name))
    ids = tiny.random_ids(1, 9, seed=3)[0].tolist()
    assert model.trace(ids=ids, target="next").check().holds
