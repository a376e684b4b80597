"""Options that several commands share."""

import pytest

from pellucid.cli.options import check_name, read_ids, read_target
from pellucid.errors import PellucidError


@pytest.mark.parametrize("typed", ["1,11,3", "1 11 3", "[1, 11, 3]", " 1,  11 3 "])
def test_ids_are_read_however_they_are_parted(typed):
    assert read_ids(typed) == [1, 11, 3]


def test_no_ids_are_none():
    assert read_ids(None) is None


@pytest.mark.parametrize("typed", ["", "1,,2", "1;2", "1.0", "x", "1,²"])
def test_what_is_not_a_list_of_ids_is_refused(typed):
    with pytest.raises(PellucidError, match=r"is not a token id\. Write them as --ids 1,11,3,8"):
        read_ids(typed)


def test_what_is_no_list_of_steps_is_refused_by_its_own_option():
    with pytest.raises(PellucidError, match=r'--steps: "x" is not a step\. Write them as --steps'):
        read_ids("x", "--steps", "step")


def test_a_target_is_an_id_only_where_there_are_no_words():
    assert [read_target("5", words=words) for words in (True, False)] == ["5", 5]
    assert [read_target(typed, words=False) for typed in ("next", "x", None)] == ["next", "x", None]


def test_an_unknown_name_is_met_with_near_ones():
    check_name("logits", ["logits", "probs"], "tensor")
    with pytest.raises(PellucidError, match=r'no tensor "logit"\. Did you mean logits\?'):
        check_name("logit", ["logits", "probs"], "tensor")
