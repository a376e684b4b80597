"""A decoder beside an RNN and an LSTM."""

import pytest
import torch

import pellucid
from pellucid.errors import PellucidError
from pellucid.interop import reading
from pellucid.interop.older_way import CELL_BY_CELL, LENGTHS, cell_by_cell, older_way
from pellucid.interop.reading import random_text, slope
from pellucid.interop.recurrent import recurrent_like
from tests.views.catalogue.given import groot, run, ways


def test_all_three_have_a_like_number_of_parameters_and_learn_the_same_pairs():
    found = ways()
    assert [way.name for way in found.ways] == ["decoder", "RNN", "LSTM"]
    assert [way.n_parameters for way in found.ways] == [968, 951, 984]
    for way in found.ways:
        assert len(way.losses) == 201
        assert found.floor < way.loss < found.floor + 0.1 < 3 < way.losses[0]


def test_the_decoder_is_the_one_that_is_trained_by_default():
    assert ways().ways[0].loss == run().loss
    assert ways().floor == run().floor == pytest.approx(0.7361, abs=5e-5)


def test_times_and_slopes_are_there_for_every_length():
    found = ways()
    assert found.lengths == LENGTHS
    assert set(found.seconds) == {*found.slopes, CELL_BY_CELL}
    assert all(
        len(each) == len(LENGTHS) for each in (*found.seconds.values(), *found.slopes.values())
    )
    assert all(time > 0 for times in found.seconds.values() for time in times)


def test_what_reaches_the_first_token_fades_in_a_state_and_hardly_in_attention():
    slopes = ways().slopes
    for name in ("RNN", "LSTM"):
        assert list(slopes[name]) == sorted(slopes[name], reverse=True)
        assert slopes[name][2] < 1e-9
        assert slopes[name][4] == 0
    assert slopes["decoder"][4] > slopes["decoder"][0] / 1000


def test_cell_by_cell_is_the_same_lstm():
    model = recurrent_like("LSTM", groot(), seed=0)
    text = random_text(length=16, width=8, vocab_size=24, seed=0)
    whole = slope(model.logits, text)
    with cell_by_cell():
        assert not torch.backends.mkldnn.enabled
        assert slope(model.logits, text) == pytest.approx(whole, rel=1e-3)
    assert torch.backends.mkldnn.enabled


def test_a_corpus_of_ones_own_and_a_training_that_is_over(monkeypatch):
    monkeypatch.setattr(reading, "SECONDS", 0.0)
    monkeypatch.setattr("pellucid.interop.older_way.LENGTHS", (2, 3))
    threads = torch.get_num_threads()
    corpus = ["birds sing", "birds fly high", "fish swim"]
    trained = pellucid.train(corpus, preset="baby-groot", seed=4)
    found = older_way(corpus, run=trained)
    assert torch.get_num_threads() == threads
    assert found.ways[0].n_parameters == trained.model.n_parameters
    assert [len(each) for each in found.slopes.values()] == [2, 2, 2]


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("pellucid.engine.find_torch.find_spec", lambda name: None)
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[torch\]'"):
        older_way()
