"""A selection shows as much as there is room for, and says what it shows."""

from hypothesis import given
from hypothesis import strategies as st

from pellucid.views.selection import Selection


@given(st.integers(0, 500), st.integers(2, 100))
def test_a_selection_and_its_gap_fill_the_room(size, room):
    chosen = Selection.of(size, room)
    assert chosen.whole == (size <= room)
    assert len(chosen.indices) == (size if chosen.whole else room - 1)
    assert list(chosen.indices) == sorted(set(chosen.indices))
    assert all(0 <= index < size for index in chosen.indices)
    if size:
        assert chosen.indices[0] == 0


@given(st.integers(5, 500), st.integers(4, 100))
def test_the_end_is_shown_where_there_is_room_for_it(size, room):
    assert Selection.of(size, room).indices[-1] == size - 1


def test_the_words_give_counts_and_places():
    assert Selection.of(768, 10).words("columns") == "9 of 768 columns (0–6, 766–767)"
    assert Selection.of(50257, 4).words("columns") == "3 of 50,257 columns (0–1, 50256)"
    assert Selection.of(9, 2).words("rows") == "1 of 9 rows (0)"
