"""A generation that is traced: whole traces, split where the window moves."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation
from pellucid.generation.generation import Generation
from pellucid.generation.loop import generate
from pellucid.generation.sampling import Sampling
from pellucid.generation.traced import TracedReader
from pellucid.trace import memory
from pellucid.trace.trace import Trace
from tests.small_models import WORDS, small_model

MODEL = small_model("grouped heads", tokenizer=WORDS)


def start(ids=(1, 5, 6), *, model=MODEL, max_new_tokens=6):
    reader = TracedReader(
        model.engine,
        config=model.config,
        parameters=model.labelled_parameters,
        vocabulary=model.vocabulary,
        labels=model.labels,
        n_tokens=model.config.vocab_size,
    )
    texts = [Continuation(ids, seed=3)]
    steps = generate(
        reader,
        texts,
        block_size=model.config.block_size,
        max_new_tokens=max_new_tokens,
        sampling=Sampling(temperature=2.0),
    )
    return Generation(steps, texts, traced=reader)


def test_a_trace_for_each_stretch_of_an_unmoved_window():
    generation = start()
    steps = list(generation)
    first, *slid = generation.traces
    # Three ids of six to begin with: the fourth step fills the context, the fifth moves it.
    assert first.ids == steps[3].ids
    assert [trace.ids for trace in slid] == [step.ids for step in steps[4:]]
    assert [step.dropped for step in steps] == [0, 0, 0, 0, 1, 2]


def test_each_key_and_value_says_the_step_that_wrote_it():
    first, second, third = start().finish().traces
    assert first.written == (0, 0, 0, 1, 2, 3)
    # A window that has moved leaves nothing to remember: one step writes all of it.
    assert second.written == (4,) * 6
    assert third.written == (5,) * 6
    for trace in (first, second, third):
        for i in range(2):
            assert trace[f"blocks.{i}.attn.keys"].written == trace.written
            assert trace[f"blocks.{i}.attn.values"].written == trace.written
        assert trace["blocks.0.attn.k"].written is None
    assert MODEL.trace("oak")["blocks.0.attn.keys"].written is None


def test_they_are_the_traces_of_their_ids():
    for trace in start().finish().traces:
        whole = MODEL.trace(ids=trace.ids)
        assert trace.names == whole.names
        assert (trace.tokens, trace.vocabulary) == (whole.tokens, whole.vocabulary)
        for name in trace.names:
            assert trace[name].dims == whole[name].dims
            np.testing.assert_allclose(
                trace[name].values, whole[name].values, rtol=1e-11, atol=1e-11
            )


def test_they_hold_what_the_steps_read_and_every_number_can_be_worked_out():
    generation = start()
    steps = list(generation)
    traces = generation.traces
    rows = [(traces[0], 2), (traces[0], 3), (traces[0], 4), (traces[0], 5)]
    rows += [(trace, 5) for trace in traces[1:]]
    for step, (trace, row) in zip(steps, rows, strict=True):
        np.testing.assert_array_equal(trace["logits"].values[row], step.logits)
    for trace in traces:
        assert trace.check(all_cells=True).holds
        explained = trace.explain("blocks.1.attn.scores", head=0, query=2, key=5)
        assert explained.value == trace["blocks.1.attn.scores"].values[0, 2, 5]


def test_a_trace_does_not_change_when_the_generation_goes_on():
    generation = start()
    for _ in range(2):
        next(generation)
    (early,) = generation.traces
    copy = {name: early[name].values.copy() for name in early.names}
    generation.finish()
    assert len(early.ids) == 4
    for name, values in copy.items():
        np.testing.assert_array_equal(early[name].values, values)
        with pytest.raises(ValueError, match="read-only"):
            early[name].values[...] = 0
    assert generation.traces[0].ids[:4] == early.ids


def test_a_context_that_is_just_full_goes_on_after_a_look():
    generation = start(ids=(1, 2, 3, 4, 5, 6), max_new_tokens=3)
    ids = []
    for step in generation:
        ids.append(step.id)
        assert len(generation.traces) == len(ids)
    assert ids == start(ids=(1, 2, 3, 4, 5, 6), max_new_tokens=3).finish().texts[0].new_ids


def test_written_comes_back_from_disk(tmp_path):
    trace = start().finish().traces[0]
    loaded = Trace.load(trace.save(tmp_path / "trace.safetensors"), model=MODEL)
    assert loaded["blocks.0.attn.keys"].written == (0, 0, 0, 1, 2, 3)
    assert loaded.written == trace.written


def test_rows_that_are_no_tokens_have_no_chance():
    reader = TracedReader(
        MODEL.engine,
        config=MODEL.config,
        parameters=MODEL.labelled_parameters,
        vocabulary=MODEL.vocabulary,
        labels=MODEL.labels,
        n_tokens=8,
    )
    logits = reader({0: [1, 2]})[0]
    assert np.isfinite(logits).tolist() == [True] * 8 + [False] * 3
    (trace,) = reader.traces()
    assert np.isfinite(trace["logits"].values).all()  # The trace has what was computed.


def test_what_would_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "spare_memory", lambda: 100)
    with pytest.raises(PellucidError, match=r"Tracing 3 tokens takes .* only 100 "):
        next(start())
