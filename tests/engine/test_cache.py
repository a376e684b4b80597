"""A decoding with a cache gives the numbers of one pass over the whole text."""

import numpy as np
import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.initialisation import initialise
from pellucid.engine.cache import KeyValueCache
from pellucid.engine.engines import make_engine
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.errors import PellucidError

SHAPE = ModelConfig(vocab_size=13, block_size=9, n_layer=2, n_head=4, n_embd=16)
CONFIGS = {
    "pre-norm": SHAPE,
    "grouped heads": SHAPE.replace(n_kv_head=2),
    "post-norm": SHAPE.replace(norm_position="post", position="sinusoidal"),
}


@pytest.fixture(params=list(CONFIGS))
def engine(request):
    graph = build_graph(CONFIGS[request.param])
    drawn = initialise(graph, scheme="torch", rng=np.random.default_rng(5), dtype="float64")
    return NumpyEngine(graph, drawn)


def logits(engine, ids, **options):
    return engine.forward({"ids": np.atleast_2d(ids)}, **options)["logits"]


@pytest.mark.parametrize("pieces", [[9], [1] * 9, [4, 1, 1, 3], [2, 7]])
def test_reading_in_pieces_is_reading_at_once(engine, pieces):
    ids = np.random.default_rng(0).integers(0, 13, (3, 9))
    cache = KeyValueCache(engine.graph, batch=3, dtype=engine.dtype)
    cuts = np.split(ids, np.cumsum(pieces)[:-1], axis=1)
    found = np.concatenate([logits(engine, cut, cache=cache) for cut in cuts], axis=1)
    np.testing.assert_allclose(found, logits(engine, ids), rtol=0, atol=1e-13)


def test_texts_of_different_lengths_in_one_batch_do_not_see_each_others_padding(engine):
    rng = np.random.default_rng(1)
    texts = [rng.integers(0, 13, length).tolist() for length in (2, 5, 4)]
    padded = np.array([text + [0] * (5 - len(text)) for text in texts])
    cache = KeyValueCache(engine.graph, batch=3, dtype=engine.dtype)
    logits(engine, padded, cache=cache, counts=np.array([2, 5, 4]))
    for _ in range(3):
        new = rng.integers(0, 13, (3, 1))
        found = logits(engine, new, cache=cache)
        texts = [text + row.tolist() for text, row in zip(texts, new, strict=True)]
        for row, text in zip(found, texts, strict=True):
            np.testing.assert_allclose(row[0], logits(engine, text)[0, -1], rtol=0, atol=1e-13)
    assert cache.lengths.tolist() == [5, 8, 7]


def test_each_slot_says_which_run_wrote_it(engine):
    cache = KeyValueCache(engine.graph, batch=2, dtype=engine.dtype)
    logits(engine, [[1, 2, 3], [4, 0, 0]], cache=cache, counts=np.array([3, 1]))
    logits(engine, [[5], [6]], cache=cache)
    assert cache.written[:, :5].tolist() == [[0, 0, 0, 1, -1], [0, 1, -1, -1, -1]]


def test_more_than_the_context_is_refused_and_nothing_is_lost(engine):
    cache = KeyValueCache(engine.graph, batch=1, dtype=engine.dtype)
    logits(engine, [1, 2, 3, 4, 5, 6, 7], cache=cache)
    with pytest.raises(PellucidError, match="10 positions do not fit into a context of 9"):
        logits(engine, [1, 2, 3], cache=cache)
    np.testing.assert_allclose(
        logits(engine, [8], cache=cache)[0, 0],
        logits(engine, [1, 2, 3, 4, 5, 6, 7, 8])[0, -1],
        rtol=0,
        atol=1e-13,
    )


def test_a_cleared_cache_starts_again(engine):
    cache = KeyValueCache(engine.graph, batch=1, dtype=engine.dtype)
    logits(engine, [1, 2, 3], cache=cache)
    cache.clear()
    found = logits(engine, [4, 5], cache=cache)
    np.testing.assert_allclose(found, logits(engine, [4, 5]), rtol=0, atol=1e-13)


def test_a_cache_goes_on_with_some_of_its_texts_in_any_order_and_number(engine):
    rng = np.random.default_rng(2)
    texts = [rng.integers(0, 13, length).tolist() for length in (3, 6, 2)]
    padded = np.array([text + [0] * (6 - len(text)) for text in texts])
    cache = KeyValueCache(engine.graph, batch=3, dtype=engine.dtype)
    logits(engine, padded, cache=cache, counts=np.array([3, 6, 2]))
    chosen = np.array([2, 0, 2, 2])
    cache.select(chosen)
    assert cache.lengths.tolist() == [2, 3, 2, 2]
    assert cache.written[1, :4].tolist() == [0, 0, 0, -1]
    new = rng.integers(0, 13, (4, 1))
    found = logits(engine, new, cache=cache)
    for row, number, (id,) in zip(found, chosen, new, strict=True):
        alone = logits(engine, [*texts[number], id])[0, -1]
        np.testing.assert_allclose(row[0], alone, rtol=0, atol=1e-13)


def test_texts_that_were_one_are_two_from_then_on(engine):
    cache = KeyValueCache(engine.graph, batch=1, dtype=engine.dtype)
    logits(engine, [1, 2], cache=cache)
    cache.select(np.array([0, 0]))
    logits(engine, [[3], [4]], cache=cache)
    found = logits(engine, [[5], [5]], cache=cache)
    for row, third in zip(found, (3, 4), strict=True):
        alone = logits(engine, [1, 2, third, 5])[0, -1]
        np.testing.assert_allclose(row[0], alone, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.parametrize("pieces", [[9], [1] * 9, [4, 1, 1, 3]])
def test_room_is_made_as_texts_grow(name, pieces, monkeypatch):
    monkeypatch.setattr("pellucid.engine.cache.FIRST_ROOM", 2)
    graph = build_graph(CONFIGS["grouped heads"])
    drawn = initialise(graph, scheme="torch", rng=np.random.default_rng(5), dtype="float64")
    engine = make_engine(name, graph, drawn, device="cpu")
    ids = np.random.default_rng(0).integers(0, 13, (3, 9))
    cache = engine.new_cache(batch=3)
    found, rooms = [], []
    for cut in np.split(ids, np.cumsum(pieces)[:-1], axis=1):
        found.append(logits(engine, cut, cache=cache))
        rooms.append(cache.written.shape[1])
        assert {len(store[0, 0]) for store in cache.store.values()} == {rooms[-1]}
    np.testing.assert_allclose(
        np.concatenate(found, axis=1), logits(engine, ids), rtol=0, atol=1e-13
    )
    assert (rooms[-1], sorted(rooms)) == (9, rooms)
    assert cache.written.tolist() == [np.repeat(np.arange(len(pieces)), pieces).tolist()] * 3


def test_a_context_in_the_millions_takes_no_memory_beforehand():
    graph = build_graph(SHAPE.replace(block_size=10**12, position="rotary"))
    cache = KeyValueCache(graph, batch=2, dtype=np.float32)
    assert sum(store.nbytes for store in cache.store.values()) < 1e6
    assert cache.capacity == 10**12
