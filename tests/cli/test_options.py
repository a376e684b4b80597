"""Options that several commands share."""

import pytest

from pellucid.cli.options import check_name, read_ids
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


def test_an_unknown_name_is_met_with_near_ones():
    check_name("logits", ["logits", "probs"], "tensor")
    with pytest.raises(PellucidError, match=r'no tensor "logit"\. Did you mean logits\?'):
        check_name("logit", ["logits", "probs"], "tensor")
