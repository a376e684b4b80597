"""One seed, many endings."""

import numpy as np
import pytest

from pellucid.interop.notebook import train_as_the_notebook
from pellucid.tour import endings as part
from pellucid.tour.endings import QUOTED, endings
from pellucid.views.scene import Curve
from pellucid.views.terminal import to_text
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words

NOTEBOOK, DEFAULT = ("threads", "ten losses off by"), ("threads", "at the end")


@pytest.fixture
def without_torch(monkeypatch):
    """As where PyTorch is not installed: the module is not found."""
    monkeypatch.setattr("pellucid.engine.find_torch.find_spec", lambda name: None)


@pytest.fixture(scope="module")
def blocks(lesson):
    return endings(lesson)


def test_the_same_seed_ends_otherwise_with_other_threads(blocks):
    rows = table(blocks, *NOTEBOOK).rows
    assert [row[0] for row in rows] == [1, 2, 4]
    assert all(float(str(row[1])) < 0.001 for row in rows)
    losses = [float(str(row[2])) for row in rows]
    assert max(losses) - min(losses) > 0.1
    assert len({row[4] for row in rows}) > 1


def test_a_rate_that_falls_ends_at_the_floor_every_time(blocks):
    rows = table(blocks, *DEFAULT).rows
    assert [row[2] for row in rows] == ["0.0007"] * 3
    assert "These are all the same to within 0.0001, 0.0007 above the floor" in words(blocks)


def test_every_number_is_that_of_a_training(blocks, lesson):
    found = [train_as_the_notebook(threads) for threads in (1, 2, 4)]
    (curve,) = of_kind(blocks, Curve)
    for series, training in zip(curve.series, found, strict=True):
        assert series.y.tolist() == [epoch.loss for epoch in training.history[-60:]]
        assert np.asarray(series.x).tolist() == list(range(441, 501))
    for row, training in zip(table(blocks, *NOTEBOOK).rows, found, strict=True):
        assert float(str(row[2])) == round(training.loss, 4)
        assert float(str(row[3])) == pytest.approx(training.loss - lesson.corpus.floor, abs=6e-5)
        assert f"groot likes {row[4]}" == training.texts["groot likes"]


def test_when_they_part_is_told(blocks):
    losses = np.array(
        [[epoch.loss for epoch in train_as_the_notebook(n).history] for n in (1, 2, 4)]
    )
    first = int(np.argmax(np.ptp(losses, axis=0) > 0.01)) + 1
    assert f"In epoch {first} they are more than 0.01 nats apart for the first time" in words(
        blocks
    )


def test_what_is_quoted_where_torch_is_missing_is_what_is_found_where_it_is(blocks):
    for quoted, training in zip(QUOTED, map(train_as_the_notebook, (1, 2, 4)), strict=True):
        found = part.ending_of(training)
        assert (quoted.threads, quoted.likes, quoted.helps) == (
            found.threads,
            found.likes,
            found.helps,
        )
        assert quoted.loss == round(found.loss, 4)
        assert quoted.decayed == round(found.decayed, 4)
        assert quoted.off_by == round(found.off_by, 5)


def test_without_torch_the_numbers_are_quoted_and_said_to_be(without_torch, lesson):
    blocks = endings(lesson)
    assert not of_kind(blocks, Curve)
    for columns in (NOTEBOOK, DEFAULT):
        note = table(blocks, *columns).note
        assert note is not None
        assert note.startswith("Quoted, not computed now: PyTorch is not installed here")
    assert "0.9049" in to_text(blocks)


def test_other_sentences_and_given_models_have_no_such_story(given):
    assert endings(given) == ()
    assert endings(lesson_of(corpus=("the cat sat", "the dog"))) == ()


@pytest.mark.parametrize("width", [80, 160])
def test_it_fits_every_page(blocks, width):
    assert max(map(len, to_text(blocks, width=width).splitlines())) <= width
