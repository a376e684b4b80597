"""A run that would not fit into memory is refused before it begins."""

import math
import os
import tracemalloc

import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.trace import memory
from pellucid.trace.budget import names_to_keep, trace_bytes
from tests.small_models import SMALL, random_parameters, small_model

# Large enough that its arrays outweigh whatever else Python sets aside.
CONFIG = ModelConfig(vocab_size=2000, block_size=128, n_layer=2, n_head=4, n_embd=64)
IDS = range(128)
OTHERS = 100_000
"""Bytes that Python sets aside for other things in the meantime."""
MACHINE = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(scope="module")
def model():
    return Model(CONFIG, random_parameters(CONFIG, dtype="float32"))


@pytest.mark.parametrize("option", [{}, {"tied_head": True}, {"norm_position": "post"}])
@pytest.mark.parametrize("target", [None, "next"])
@pytest.mark.parametrize(
    "names", [None, ["logits"], ["blocks.1.attn.pattern"], ["loss.per_position"]]
)
def test_a_run_takes_no_more_than_was_foretold(option, target, names):
    config = CONFIG.replace(**option)
    model = Model(config, random_parameters(config, dtype="float32"))
    back = target is not None
    kept = names_to_keep(model.graph, names, target=back)
    foretold = memory.run_bytes(model.graph, len(IDS), "float32", kept, back)
    model.trace(ids=IDS, target=target, names=names)  # What is made once, such as masks, is there.
    tracemalloc.start()
    try:
        model.trace(ids=IDS, target=target, names=names)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    held = trace_bytes(model.graph, len(IDS), "float32", names=names, gradients=back)
    assert held <= peak
    assert peak <= foretold + OTHERS


def test_names_take_less_while_running_too(model):
    every, some = (
        memory.run_bytes(
            model.graph, 128, "float32", names_to_keep(model.graph, n, target=True), True
        )
        for n in (None, ["logits"])
    )
    assert some < 0.8 * every


def test_what_would_not_fit_is_refused_before_it_is_run():
    config = SMALL.replace(block_size=400_000, position="none")
    model = Model(config, random_parameters(config))
    with pytest.raises(PellucidError) as caught:
        model.trace(ids=[1] * 400_000)
    message = str(caught.value)
    assert "Tracing 400000 tokens takes" in message
    assert "blocks.*.attn.scores (1.02e+04 GB)" in message
    assert 'names=["logits", …]' in message
    assert "\n" not in message


def test_the_largest_tensors_are_named(model):
    with pytest.raises(PellucidError, match=r"largest are logits \(1.02 MB\), probs \(1.02 MB\)"):
        model.trace(ids=IDS, names=["logits", "probs", "embed.out"], memory=1000)
    with pytest.raises(PellucidError, match="gradients of the parameters"):
        model.trace(ids=IDS, names=[], target="next", memory=1000)


def test_how_much_may_be_used_can_be_said(model):
    kept = names_to_keep(model.graph, None, target=False)
    needed = memory.run_bytes(model.graph, 128, "float32", kept, False)
    assert len(model.trace(ids=IDS, memory=needed)) == len(kept)
    assert len(model.trace(ids=IDS, memory=math.inf)) == len(kept)
    with pytest.raises(PellucidError, match="only 1 kB may be used"):
        small_model().trace(ids=[1, 2, 3], memory=1000)


def test_available_memory_is_part_of_what_the_machine_has():
    available, spare = memory.available_memory(), memory.spare_memory()
    assert available is not None
    assert spare is not None
    assert 0 < available < MACHINE
    assert 0 < spare < 0.9 * MACHINE


def test_a_system_without_memory_info_is_asked_another_way(monkeypatch, tmp_path):
    told = memory.available_memory()
    monkeypatch.setattr(memory, "MEMORY_INFO", tmp_path / "none")
    asked = memory.available_memory()
    assert told is not None
    assert asked is not None
    # One counts what caches could give back, the other does not: alike in size at best.
    assert asked / 100 < told < asked * 100
    assert 0 < asked < MACHINE


@pytest.mark.parametrize(
    ("n", "words"), [(12, "12 bytes"), (1000, "1 kB"), (2_340_000, "2.34 MB"), (5e9, "5 GB")]
)
def test_bytes_in_words(n, words):
    assert memory.in_bytes(n) == words
