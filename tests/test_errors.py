"""The one error a user can mend, and its suggestions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError, did_you_mean

NAMES = ("embed.tokens", "embed.positions", "logits", "probs")


def test_the_error_is_a_value_error():
    assert issubclass(PellucidError, ValueError)


def test_a_near_name_is_offered():
    assert did_you_mean("logit", NAMES) == " Did you mean logits?"


def test_nearer_names_come_first_and_no_more_than_asked_for():
    assert did_you_mean("embed.token", NAMES, n=1) == " Did you mean embed.tokens?"
    assert did_you_mean("embed.token", NAMES).startswith(" Did you mean embed.tokens, embed.pos")


def test_capitals_do_not_hide_a_name():
    assert did_you_mean("groot", ["Groot"]) == " Did you mean Groot?"
    assert did_you_mean("GROOT", ["groot"]) == " Did you mean groot?"


def test_nothing_near_means_no_suggestion():
    assert did_you_mean("zzzz", NAMES) == ""
    assert did_you_mean("logits", []) == ""


@given(st.text(max_size=20), st.lists(st.text(min_size=1, max_size=9), max_size=9))
def test_only_known_names_are_offered(name, known):
    answer = did_you_mean(name, known)
    assert answer == "" or any(answer.startswith(f" Did you mean {each}") for each in known)


@pytest.mark.parametrize("name", [None, 3, b"logits", ["logits"]])
def test_what_is_no_name_is_like_none(name):
    assert isinstance(did_you_mean(name, ["logits"]), str)
