"""After which steps parameters are kept: an interval, or steps by name."""

import msgspec
import pytest

from pellucid.errors import PellucidError
from pellucid.training.film_plan import MOST_FRAMES, FilmPlan, read_steps


def moments(film, last=12):
    plan = FilmPlan.of(film)
    assert plan is not None
    return plan.moments(last)


def test_an_interval_has_the_beginning_and_the_end():
    assert moments(5) == (0, 5, 10, 12)
    assert moments(4) == (0, 4, 8, 12)
    assert moments(100) == (0, 12)
    assert moments(1, last=3) == (0, 1, 2, 3)


def test_steps_are_those_that_were_named_in_order_and_once_each():
    assert moments([7, 0, 3, 3]) == (0, 3, 7)
    assert moments(iter([12, 1])) == (1, 12)


@pytest.mark.parametrize(
    ("typed", "meant"), [("5", 5), (" 5 ", 5), ("0,3,7", [0, 3, 7]), ("0 3, 7", [0, 3, 7])]
)
def test_what_is_typed_is_what_is_meant(typed, meant):
    assert read_steps(typed) == meant
    assert moments(typed) == moments(meant)


def test_no_film_is_none():
    assert FilmPlan.of(None) is None


@pytest.mark.parametrize("film", [0, -1, True, 2.5, [], [1.5], [-1], ""])
def test_what_is_no_number_of_steps_is_refused(film):
    with pytest.raises(PellucidError, match="film"):
        FilmPlan.of(film)


@pytest.mark.parametrize("typed", ["every", "1,x", "-3", "1.5", "٣", ""])
def test_what_is_typed_wrongly_is_refused_with_how_to_write_it(typed):
    with pytest.raises(PellucidError, match=r"is not a number of steps\. Write film 10"):
        read_steps(typed)


def test_a_step_after_the_last_is_refused():
    with pytest.raises(PellucidError, match="to keep epoch 13, and the last is 12"):
        FilmPlan(steps=(0, 13)).moments(12, unit="epoch")


def test_more_frames_than_anyone_looks_at_are_refused_with_their_number():
    assert len(FilmPlan(every=1).moments(MOST_FRAMES - 1)) == MOST_FRAMES
    with pytest.raises(PellucidError, match=r"would keep 1,000,001 of 1,000,000 steps"):
        FilmPlan(every=1).moments(1_000_000)


def test_how_a_film_is_kept_without_one_is_refused():
    with pytest.raises(PellucidError, match="give film with it"):
        FilmPlan.of(None, half=True)


def test_it_is_kept_as_trained_or_in_half_of_it():
    assert FilmPlan(every=1).dtype("float64") == "float64"
    assert FilmPlan(every=1, half=True).dtype("float64") == "float16"


def test_it_comes_back_from_json():
    for plan in (FilmPlan(every=3, half=True), FilmPlan(steps=(0, 9))):
        assert msgspec.json.decode(msgspec.json.encode(plan), type=FilmPlan) == plan
