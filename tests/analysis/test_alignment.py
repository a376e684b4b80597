"""Two texts of ids side by side: every token once, in order, and what is the same together."""

from hypothesis import given
from hypothesis import strategies as st

from pellucid.analysis.alignment import Slot, align

IDS = st.lists(st.integers(0, 4), max_size=12)


def shown(a, b):
    """The alignment in letters, - for a gap."""
    slots = align([ord(x) for x in a], [ord(x) for x in b])
    return tuple(
        "".join("-" if place is None else text[place] for place in places)
        for text, places in (
            (a, [slot.a for slot in slots]),
            (b, [slot.b for slot in slots]),
        )
    )


@given(IDS, IDS)
def test_every_token_of_both_stands_in_one_place_in_its_order(a, b):
    slots = align(a, b)
    assert [slot.a for slot in slots if slot.a is not None] == list(range(len(a)))
    assert [slot.b for slot in slots if slot.b is not None] == list(range(len(b)))
    assert all((slot.a, slot.b) != (None, None) for slot in slots)


@given(IDS, IDS)
def test_a_place_is_the_same_where_both_have_the_same_token(a, b):
    for slot in align(a, b):
        both = slot.a is not None and slot.b is not None
        if slot.same:
            assert both
        if both and slot.same:
            assert a[slot.a] == b[slot.b]


@given(IDS)
def test_a_text_beside_itself_is_the_same_throughout(a):
    assert align(a, a) == tuple(Slot(place, place, True) for place in range(len(a)))


def test_one_word_for_another_stands_in_its_place():
    assert shown("abcd", "abxd") == ("abcd", "abxd")


def test_what_one_text_alone_has_stands_alone():
    assert shown("abd", "abcd") == ("ab-d", "abcd")
    assert shown("abcd", "bcd") == ("abcd", "-bcd")
    assert shown("", "ab") == ("--", "ab")


def test_the_last_tokens_of_two_names_stand_side_by_side():
    assert shown("axyd", "azd") == ("axyd", "a-zd")
    assert shown("azd", "axyd") == ("a-zd", "axyd")


def test_tokens_that_are_frequent_in_a_long_text_count_too():
    text = [0, 1] * 200
    assert align(text, [7, *text])[1:] == tuple(Slot(i, i + 1, True) for i in range(len(text)))


def test_texts_that_spell_alike_with_other_ids_are_not_the_same():
    assert not any(slot.same for slot in align([5, 6], [56, 7]))
