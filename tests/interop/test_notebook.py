"""The notebook's training, made again: its ten losses to the last printed digit."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch

from pellucid.errors import PellucidError
from pellucid.interop.notebook import PRINTED_LOSSES, settings, train_as_the_notebook
from pellucid.training.history import Epoch

DATA = Path(__file__).parents[1] / "data"
REFERENCE = json.loads((DATA / "baby_groot_seed42.json").read_text())


@pytest.fixture(scope="module")
def found():
    return train_as_the_notebook()


def test_the_ten_losses_agree_to_four_decimals(found):
    printed = [float(line.rpartition(" ")[2]) for line in REFERENCE["printed_losses"]]
    assert list(PRINTED_LOSSES) == printed
    assert [round(figure.ours[0], 4) for figure in found.losses] == printed
    assert all(figure.agrees for figure in found.losses)
    assert found.is_near
    assert found.off_by < 0.00005


def test_the_finished_model_is_the_one_that_was_kept_of_the_same_recipe(found):
    expected = REFERENCE["mean_loss_over_all_pairs_after_training"]
    assert found.loss == pytest.approx(expected, abs=1e-6, rel=0)
    assert found.texts == {
        prompt: text.removeprefix("<START> ").removesuffix(" <END>")
        for prompt, text in REFERENCE["greedy"].items()
        if prompt in found.texts
    }


def test_what_is_read_off_the_finished_model_is_not_the_printed_figure(found):
    assert found.attention.agrees is False
    assert found.end.agrees is False
    assert sum(found.attention.ours) == pytest.approx(100, abs=1e-4)


def test_the_mean_over_pairs_never_lies_below_the_floor(found):
    floor = REFERENCE["conditional_entropy_of_the_corpus"]
    assert min(epoch.loss for epoch in found.history) > floor > 0.7264
    assert sum(epoch.mean_of_batches < floor for epoch in found.history) == 34


def test_the_process_has_its_own_settings_and_who_asks_keeps_theirs(found):
    before = torch.get_num_threads(), torch.get_rng_state().tolist(), dict(os.environ)
    with pytest.raises(PellucidError, match=r"broke off: .*verflow"):
        train_as_the_notebook(2**70)
    assert (torch.get_num_threads(), torch.get_rng_state().tolist(), dict(os.environ)) == before
    assert settings(2)["OMP_NUM_THREADS"] == "2"


def test_what_was_trained_once_is_handed_out_again(found):
    epochs: list[Epoch] = []
    assert train_as_the_notebook(on_epoch=epochs.append) is found
    assert not epochs


def test_the_same_fresh_weights_settle_near_the_floor_at_a_rate_that_falls(found):
    floor = REFERENCE["conditional_entropy_of_the_corpus"]
    assert floor < found.decayed_loss < floor + 0.001 < found.loss
    # Each of the three ends that the sentences know, with its share.
    probabilities = np.sort(next(iter(found.decayed.generate("groot likes"))).filtered.unfiltered)
    assert probabilities[-3:] == pytest.approx([1 / 3] * 3, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "last"), [(1, 1.0411), (4, 0.7722)])
def test_other_threads_begin_alike_and_end_elsewhere(found, threads, last):
    other = train_as_the_notebook(threads)
    assert 0 < other.off_by < 0.0005
    assert other.is_near
    assert other.history[0].loss == pytest.approx(found.history[0].loss, abs=1e-6)
    assert abs(other.history[-1].mean_of_batches - found.history[-1].mean_of_batches) > 0.1
    assert round(other.history[-1].mean_of_batches, 4) == last
    assert other.decayed_loss == pytest.approx(found.decayed_loss, abs=1e-4)


def test_a_number_of_threads_is_at_least_one():
    with pytest.raises(PellucidError, match="threads=0"):
        train_as_the_notebook(0)


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("pellucid.engine.find_torch.find_spec", lambda name: None)
    with pytest.raises(PellucidError, match=r"pip install 'pellucid\[torch\]'"):
        train_as_the_notebook()
