"""Losses of a training: the same from what it handed out and from its folder."""

import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.losses import Losses, losses_of, read_losses
from tests.training.texts import DOCUMENT, SMALL


def test_of_a_training_on_text(tmp_path):
    run = pellucid.train(DOCUMENT, out=tmp_path, **SMALL)
    losses = losses_of(run)
    assert losses == read_losses(tmp_path, "step")
    assert losses.training == tuple((step.step, step.loss) for step in run.history)
    assert [step for step, _ in losses.validation] == [0, 5, 10, 12]
    assert losses.floor is None


def test_of_a_training_on_sentences(tmp_path):
    run = pellucid.train(["a b", "a c"], preset="baby-groot", out=tmp_path)
    losses = losses_of(run)
    assert losses == read_losses(tmp_path, "epoch")
    assert losses.training == tuple((each.number, each.loss) for each in run.history)
    assert losses.validation == ()
    assert losses.floor == run.floor


def test_at_a_step_it_is_the_latest_up_to_it():
    losses = Losses(((1, 3.0), (2, 2.0), (5, 1.0)))
    assert [losses.at(step) for step in (0, 1, 2, 4, 5, 9)] == [3.0, 3.0, 2.0, 2.0, 1.0, 1.0]
    assert Losses(()).at(3) is None


@pytest.mark.parametrize("unit", ["step", "epoch"])
def test_what_is_not_there_or_is_damaged_is_refused(tmp_path, unit):
    with pytest.raises(PellucidError, match=r"metrics\.jsonl cannot be read"):
        read_losses(tmp_path, unit)
    (tmp_path / "metrics.jsonl").write_text('{"number": "one"}\n')
    (tmp_path / "training.json").write_text("{}")
    with pytest.raises(PellucidError, match=r"metrics\.jsonl"):
        read_losses(tmp_path, unit)
