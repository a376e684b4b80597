"""Runs: found again, stopped, refused, forgotten."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pellucid.decoder.config import ModelConfig
from pellucid.model.model import Model
from pellucid.serve.limits import Limits
from pellucid.serve.questions import RunQuestion
from pellucid.serve.runs import BESIDE, BusyError, GoneError, Runs
from pellucid.serve.stopping import StoppedError
from pellucid.trace.edits import scale, set_to, zero

IDS = (1, 11, 3, 8)


def ask(page="a", ids=IDS, **more):
    return RunQuestion(page=page, ids=ids, **more)


@pytest.fixture
def runs(groot):
    return Runs(groot, Limits())


@pytest.fixture(scope="module")
def slow():
    """A model that takes a second or so to be traced: long enough to be stopped."""
    config = ModelConfig(vocab_size=50, block_size=512, n_layer=24, n_head=8, n_embd=128)
    return Model.from_config(config)


LONG = tuple(i % 50 for i in range(512))


# The same is not run twice


def test_the_run_that_a_page_opens_with_is_there_already(groot, trace):
    runs = Runs(groot, Limits(), first=trace)
    assert runs.make(ask()).trace is trace
    assert runs.make(RunQuestion(page="b", text="i am groot")).trace is trace
    assert runs.make(ask(ids=(1, 11))).trace is not trace


def test_the_same_question_finds_the_same_run(runs):
    first = runs.make(ask())
    assert runs.make(ask(page="b")) is first
    edits = (zero("blocks.0.attn.pattern", query=1),)
    edited = runs.make(ask(edits=edits))
    assert edited is not first
    assert runs.make(ask(edits=(zero("blocks.0.attn.pattern", query=1),))) is edited
    assert runs.make(ask(edits=(scale("embed.out", 2),))) not in (first, edited)


def test_a_run_with_gradients_serves_those_who_want_none(runs):
    aimed = runs.make(ask(target=8))
    assert runs.make(ask()) is aimed
    assert runs.make(ask(target=8)) is aimed
    other = runs.make(ask(target=9))
    assert other is not aimed
    assert other.trace.targets != aimed.trace.targets


# Not wanted any more


def in_background(runs, question, stop=None):
    """A run in a thread, once it has begun."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(runs.make, question, stop)
    pool.shutdown(wait=False)
    while question.page not in runs.latest and not future.done():
        threading.Event().wait(0.001)
    return future


def test_a_pages_new_run_takes_the_place_of_its_last(slow):
    runs = Runs(slow, Limits())
    old = in_background(runs, ask(ids=LONG))
    new = in_background(runs, ask(ids=LONG[:3]))
    with pytest.raises(StoppedError):
        old.result()
    assert new.result().trace.ids == LONG[:3]


def test_another_pages_run_is_left_alone(slow):
    runs = Runs(slow, Limits())
    one = in_background(runs, ask(ids=LONG[:100]))
    other = in_background(runs, ask(page="b", ids=LONG[:3]))
    assert len(one.result().trace.ids) == 100
    assert len(other.result().trace.ids) == 3


def test_a_run_ends_when_whoever_asked_has_gone(slow):
    runs, stop = Runs(slow, Limits()), threading.Event()
    running = in_background(runs, ask(ids=LONG), stop)
    waiting_stop = threading.Event()
    waiting = in_background(runs, ask(page="b", ids=LONG), waiting_stop)
    waiting_stop.set()
    with pytest.raises(StoppedError):
        waiting.result()
    assert not running.done()
    stop.set()
    with pytest.raises(StoppedError):
        running.result()
    assert not runs.kept


def test_what_runs_and_waits_ends_with_the_server(slow):
    runs = Runs(slow, Limits())
    asked = [in_background(runs, ask(page=str(n), ids=LONG)) for n in range(3)]
    runs.stop()
    for each in asked:
        with pytest.raises(StoppedError):
            each.result()
    with pytest.raises(StoppedError):
        runs.make(ask(ids=LONG))


def test_stopped_ones_give_their_places_back(slow):
    runs = Runs(slow, Limits(waiting=2))
    running = in_background(runs, ask(ids=LONG))
    for n in range(1, 12):
        before, running = running, in_background(runs, ask(ids=LONG[:-n]))
        with pytest.raises(StoppedError):
            before.result()
    assert len(running.result().trace.ids) == len(LONG) - 11


# Too many, too much


def test_more_than_may_wait_are_refused_at_once(slow):
    runs, stop = Runs(slow, Limits(waiting=2)), threading.Event()
    futures = [in_background(runs, ask(page=str(n), ids=LONG), stop) for n in range(3)]
    while runs.places._value:
        threading.Event().wait(0.001)
    with pytest.raises(BusyError):
        runs.make(ask(page="late", ids=LONG))
    stop.set()
    for future in futures:
        with pytest.raises(StoppedError):
            future.result()
    assert runs.make(ask(page="late", ids=LONG[:2])).trace.ids == LONG[:2]


def test_the_oldest_are_forgotten_and_those_looked_at_kept(groot):
    size = Runs(groot, Limits()).make(ask()).size
    runs = Runs(groot, Limits(kept=3 * size))
    numbers = [runs.make(ask(ids=(1, 11, 3, last))).number for last in (5, 6, 7)]
    runs.find(numbers[0])
    last = runs.make(ask(ids=(1, 11, 3, 8))).number
    assert runs.size <= 3 * size
    for number in (numbers[0], numbers[2], last):
        assert runs.find(number)
    with pytest.raises(GoneError):
        runs.find(numbers[1])


def test_a_run_larger_than_all_that_is_kept_is_kept_alone(groot):
    runs = Runs(groot, Limits(kept=1))
    first, second = runs.make(ask()), runs.make(ask(ids=(1,)))
    assert list(runs.kept) == [second.number]
    assert first.number != second.number


def test_a_runs_size_is_known_before(groot):
    runs = Runs(groot, Limits())
    for question in (ask(), ask(target=8), ask(ids=(1,)), ask(edits=(zero("embed.out"),))):
        kept = runs.make(question)
        bound = runs.size_of(len(question.ids), question)
        assert kept.size <= bound
    # What the bound counts and a run without a target does not have is the loss.
    beside = runs.size_of(3, ask()) - runs.make(ask(ids=IDS[:3])).size
    assert 0 < beside < 50 + BESIDE * len(groot.trace(ids=IDS[:3]).values) * 3


@pytest.mark.parametrize("name", ["blocks.0.mlp.w_in", "token_embedding"])
def test_edited_weights_count(groot, name):
    runs = Runs(groot, Limits())
    sizes = [runs.size]
    for factor in (2, 3):
        runs.make(ask(edits=(scale(name, factor),)))
        sizes.append(runs.size)
    plain = Runs(groot, Limits()).make(ask(edits=(scale("embed.out", 2),)))
    values = plain.size - plain.trace.values["embed.out"].nbytes - BESIDE
    for step in np.diff(sizes):
        assert step == pytest.approx(values + groot.parameters[name].nbytes, abs=500)


def test_runs_with_other_weights_are_forgotten_as_others_are(groot):
    size = Runs(groot, Limits()).make(ask(edits=(scale("head.w", 2),))).size
    # Room for three, but for their weights.
    runs = Runs(groot, Limits(kept=3 * size + groot.parameters["head.w"].nbytes))
    for factor in range(2, 12):
        runs.make(ask(edits=(scale("head.w", factor),)))
        assert runs.size <= runs.limits.kept
    assert len(runs.kept) == 2


def test_a_large_weight_is_counted_before_it_is_edited(groot):
    runs = Runs(groot, Limits())
    small, large = (scale("embed.out", 2),), (scale("blocks.0.mlp.w_in", 2),)
    more = runs.size_of(1, ask(edits=large)) - runs.size_of(1, ask(edits=small))
    assert more > groot.parameters["blocks.0.mlp.w_in"].nbytes


def test_many_small_edits_count_as_what_they_take(groot):
    runs = Runs(groot, Limits())
    few = runs.make(ask(edits=(zero("embed.out"),) * 50)).size
    values = np.ones(groot.trace(ids=IDS)["embed.out"].shape)
    many = tuple(set_to("embed.out", values) for _ in range(50))
    assert runs.make(ask(edits=many)).size > few + 50 * 24 * values.size


def test_two_servers_share_no_number(groot):
    numbers = {Runs(groot, Limits()).make(ask()).number for _ in range(20)}
    assert len(numbers) == 20
    # A page reads them as JavaScript's numbers.
    assert max(numbers) < 2**53


def test_pages_that_have_gone_are_forgotten(groot):
    runs = Runs(groot, Limits())
    for n in range(200):
        runs.make(ask(page=str(n)))
    assert len(runs.latest) == 72


def test_a_stoppable_run_computes_the_same(groot, trace):
    made = Runs(groot, Limits()).make(ask()).trace
    for name in trace.names:
        np.testing.assert_array_equal(made[name].values, trace[name].values)
