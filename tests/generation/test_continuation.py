"""Truths about one text as it grows."""

import pytest

from pellucid.errors import PellucidError
from pellucid.generation.continuation import Continuation


class Letters:
    """Writes id 0 as "a", 1 as "b", …; holds one letter back, and stops before a "z"."""

    before = "so "

    def __init__(self):
        self.held = ""
        self.stopped = False

    def push(self, id):
        shown, self.held = self.held, chr(ord("a") + id)
        if self.held == "z":
            self.held, self.stopped = "", True
        return shown

    def finish(self):
        return self.held


def test_ids_and_text_grow_and_the_prompt_stays():
    text = Continuation([7, 8], transcript=Letters())
    assert [text.add(id, ends=False, last=False) for id in (0, 1, 2)] == ["", "a", "b"]
    assert (text.prompt, text.text) == ("so ", "ab")
    assert (text.prompt_ids, text.new_ids, text.ids) == ((7, 8), [0, 1, 2], [7, 8, 0, 1, 2])
    assert text.stopped is None


@pytest.mark.parametrize(
    ("id", "how", "stopped", "whole"),
    [
        (1, {"ends": True, "last": True}, "end token", "ab"),
        (25, {"ends": False, "last": True}, "stop string", "a"),
        (1, {"ends": False, "last": True}, "length", "ab"),
        (1, {"ends": False, "last": False}, None, "a"),
    ],
)
def test_it_says_why_it_ended_and_lets_go_of_what_was_held_back(id, how, stopped, whole):
    text = Continuation([7], transcript=Letters())
    text.add(0, ends=False, last=False)
    text.add(id, **how)
    assert (text.stopped, text.text) == (stopped, whole)


def test_ids_without_text_have_none():
    text = Continuation([3])
    assert text.add(4, ends=False, last=True) == text.text == text.prompt == ""
    assert (text.ids, text.stopped) == ([3, 4], "length")


def test_something_must_be_there_to_continue():
    with pytest.raises(PellucidError, match="no ids to continue: give at least a start token"):
        Continuation([])


def test_a_seed_is_not_negative():
    with pytest.raises(PellucidError, match="seed=-1 is negative"):
        Continuation([1], seed=-1)


def test_it_prints_as_what_it_is():
    text = Continuation([7, 8], number=2, seed=5, transcript=Letters())
    text.add(0, ends=True, last=False)
    assert repr(text) == "<text 2, seed 5: 3 ids, ended by end token, 'so a'>"
    assert repr(Continuation([7])) == "<text 0, seed 0: 1 ids, goes on>"
