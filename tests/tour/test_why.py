"""Part why: the older way."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.interop import reading
from pellucid.tour.tour import chapter, tour
from pellucid.tour.why import beyond, in_one_call, per_token
from pellucid.views.scene import Curve
from pellucid.views.terminal import to_text
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words
from tests.views.catalogue.given import ways


@pytest.fixture(scope="module")
def scene(lesson):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SECONDS", 0.0)
        return chapter(lesson, "why")


def test_the_state_is_handed_on_from_token_to_token(scene):
    rows = table(scene.blocks, "token").rows
    assert [row[:2] for row in rows] == [("<START>", 0), ("i", 1), ("am", 2), ("groot", 3)]
    assert 'From "<START>" to "groot" the state is handed on 3 times' in words(scene.blocks)


def test_the_way_of_a_gradient_grows_with_the_text_or_does_not(scene):
    rows = table(scene.blocks, "tokens", "states between").rows
    assert [(row[1], row[2]) for row in rows] == [
        ("3", 1),
        ("15", 1),
        ("63", 1),
        ("255", 1),
        ("1,023", 1),
    ]
    assert rows[-1][4:] == ("0", "0")
    assert float(str(rows[-1][3])) > 0


def test_times_are_called_this_machines(scene):
    times = table(scene.blocks, "tokens", "decoder")
    assert times.title == "Microseconds per token, measured just now on this machine"
    assert times.columns == ("tokens", "decoder", "RNN", "LSTM", "LSTM, cell by cell")
    curve = of_kind(scene.blocks, Curve)[0]
    for place, series in enumerate(curve.series, start=1):
        assert [f"{y:.1f}" for y in series.y] == [row[place] for row in times.rows]


def test_all_three_and_what_they_stay_above_the_floor(scene, lesson):
    rows = table(scene.blocks, "", "parameters").rows
    assert [row[1] for row in rows] == [968, 951, 984]
    assert float(str(rows[0][3])) == round(lesson.trials.baseline.loss, 4)
    assert "Nearest to the floor comes the decoder" in words(scene.blocks)


def test_words_follow_the_numbers_that_were_measured():
    assert "PyTorch has all steps of an LSTM as a single operation" in in_one_call(
        (9.0, 1.0), (9.0, 8.0)
    )
    assert in_one_call((9.0, 8.0), (9.0, 8.0)) == ""
    found = ways()
    assert beyond(found, len(found.lengths) - 1) == ""
    assert f"to {per_token(found, 'decoder')[-1]:.1f} at 1,024" in beyond(found, 2)
    assert np.all(np.array(per_token(found, "RNN")) > 0)


@pytest.mark.parametrize("width", [80, 160])
def test_it_fits_every_page(scene, width):
    assert max(map(len, to_text(scene, width=width).splitlines())) <= width


def test_other_sentences_and_a_single_word_have_it_too(monkeypatch):
    monkeypatch.setattr(reading, "SECONDS", 0.0)
    monkeypatch.setattr("pellucid.interop.older_way.LENGTHS", (2, 3))
    for corpus in (("hush",), ("birds sing", "birds fly high")):
        said = words(chapter(lesson_of(corpus=corpus), "why").blocks)
        assert "groot" not in said
        assert "Nearest to the floor comes the" in said


def test_it_is_asked_for_by_name_and_stands_in_the_opening():
    opening = next(tour())
    assert [row[0] for row in table(opening.blocks, "part").rows][-2:] == ["7", "why"]
    assert "pellucid tour --part why" in words(opening.blocks)


def test_what_it_cannot_do_without_is_said_at_once(monkeypatch, lesson):
    with pytest.raises(PellucidError, match="trains models of its own: leave the model out"):
        tour("i am", part="why", model=lesson.model)
    monkeypatch.setattr("pellucid.engine.find_torch.find_spec", lambda name: None)
    with pytest.raises(PellucidError, match="Part why needs PyTorch, which is not installed: pip"):
        tour(part="why")
    assert "PyTorch, which is not installed here" in words(next(tour()).blocks)
