"""Text as it comes, up to a stop string: nothing is taken back, nothing is kept too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.text.stop_strings import StopStrings, overlap

letters = st.text(alphabet="ab", max_size=12)
strings = st.lists(st.text(alphabet="ab", min_size=1, max_size=4), max_size=3)


@given(st.lists(letters, max_size=8), strings)
def test_it_ends_before_the_first_string_that_is_complete(pieces, stops):
    passing = StopStrings(stops)
    shown = [passing.push(piece) for piece in pieces]
    whole, result = "".join(pieces), "".join(shown) + passing.finish()
    assert whole.startswith(result)
    if any(stop in whole for stop in stops):
        assert passing.found is not None
        assert passing.found in stops
        assert whole[len(result) :].startswith(passing.found)
    else:
        assert passing.found is None
        assert result == whole
    assert not any(stop in result for stop in stops)


@given(letters, strings)
def test_one_character_at_a_time_or_all_at_once_stop_at_the_same_character(text, stops):
    slow = StopStrings(stops)
    shown = "".join(slow.push(character) for character in text) + slow.finish()
    ends = [text.index(stop) + len(stop) for stop in stops if stop in text]
    if ends:
        assert slow.found is not None
        assert len(shown) + len(slow.found) == min(ends)
    else:
        assert shown == text


@given(letters, strings)
def test_only_what_may_be_the_beginning_of_a_stop_is_held_back(text, stops):
    passing = StopStrings(stops)
    shown = passing.push(text)
    if passing.found is None:
        held = text[len(shown) :]
        assert held == "" or any(stop.startswith(held) for stop in stops)
        assert text == shown + held


def test_a_stop_across_pieces():
    passing = StopStrings(["\n\nQ:"])
    assert [passing.push(piece) for piece in ("A: yes\n", "\n", "Q", ": no")] == [
        "A: yes",
        "",
        "",
        "",
    ]
    assert passing.found == "\n\nQ:"
    assert passing.push("more") == passing.finish() == ""


def test_a_false_alarm_is_let_go():
    passing = StopStrings(["###"])
    assert [passing.push(piece) for piece in ("a#", "#", "b")] == ["a", "", "##b"]


def test_an_empty_string_is_refused():
    with pytest.raises(PellucidError, match='stop="" is found in every text'):
        StopStrings(["x", ""])


def test_overlap_is_never_a_whole_string():
    assert overlap("aaa", "aaa") == 2
    assert overlap("xab", "abc") == 2
    assert overlap("xab", "bca") == 1
    assert overlap("", "abc") == overlap("xyz", "abc") == 0
