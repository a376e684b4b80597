"""A cell is named by its dims; what names none says what there is instead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.errors import PellucidError
from pellucid.trace.cell import find_cell, name_cell
from pellucid.trace.tensor import TracedTensor

TOKENS = ("<START>", "i", "am", "i")


def tensor(shape=(2, 4, 4), dims=("head", "query", "key")):
    labels = {dim: TOKENS for dim in ("query", "key") if dim in dims}
    return TracedTensor("attn.scores", np.zeros(shape), dims, labels, "", "")


ONE_HEAD = tensor((1, 4, 4))


@given(st.integers(0, 1), st.integers(0, 3), st.integers(0, 3))
def test_an_index_counts_from_either_end(head, query, key):
    places = {"head": head, "query": query - 4, "key": np.int64(key)}
    assert find_cell(tensor(), places) == (head, query, key)


def test_places_may_come_in_any_order_and_be_labels():
    assert find_cell(tensor(), {"key": "am", "head": 1, "query": "<START>"}) == (1, 0, 2)


def test_a_dim_of_size_1_may_be_left_out():
    assert find_cell(ONE_HEAD, {"query": 3, "key": "am"}) == (0, 3, 2)
    assert find_cell(ONE_HEAD, {"head": -1, "query": 3, "key": "am"}) == (0, 3, 2)
    assert find_cell(tensor((), ()), {}) == ()


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (
            {"qeury": 1, "key": 1},
            "attn.scores has no dim 'qeury': head (2) × query (4) × key (4). Did you mean query",
        ),
        (
            {"query": 1, "key": 1},
            "Which head of attn.scores? It has head (2) × query (4) × key (4).",
        ),
        (
            {"head": 0, "query": 4, "key": 1},
            "query=4 is out of range: attn.scores has query 0 to 3.",
        ),
        (
            {"head": 0, "query": -5, "key": 1},
            "query=-5 is out of range: attn.scores has query 0 to 3.",
        ),
        (
            {"head": 0, "query": 0, "key": "<STAR>"},
            'There is no "<STAR>" along key of attn.scores. Did you mean <START>?',
        ),
        (
            {"head": 0, "query": 0, "key": "zebra"},
            'There is no "zebra" along key of attn.scores. There are <START>, i, am, i.',
        ),
        (
            {"head": 0, "query": "i", "key": 0},
            '"i" stands at 2 places along query of attn.scores: 1, 3. Give one of these.',
        ),
        (
            {"head": "first", "query": 0, "key": 0},
            'head of attn.scores has no labels, so "first" names no place: '
            "give an index from 0 to 1.",
        ),
        (
            {"head": 0, "query": 1.0, "key": 0},
            "query=1.0 is neither a whole number nor a label of attn.scores.",
        ),
        (
            {"head": 0, "query": None, "key": 0},
            "query=None is neither a whole number nor a label of attn.scores.",
        ),
    ],
)
def test_what_names_no_cell_says_what_there_is(places, said):
    with pytest.raises(PellucidError) as caught:
        find_cell(tensor(), places)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_a_single_number_has_no_dims():
    with pytest.raises(PellucidError, match="no dim 'position': no dims: it is one number"):
        find_cell(tensor((), ()), {"position": 0})


def test_many_labels_are_not_all_listed():
    words = tuple(f"w{i}" for i in range(20))
    logits = TracedTensor("logits", np.zeros(20), ("vocab",), {"vocab": words}, "", "")
    with pytest.raises(PellucidError, match=r"There are w0, .*, w7, …\."):
        find_cell(logits, {"vocab": "zebra"})


def test_a_cell_reads_by_labels_or_dims():
    assert name_cell(tensor(), (1, 2, 0)) == "head=1, am, <START>"
    assert name_cell(ONE_HEAD, (0, 2, 0)) == "am, <START>"
    assert name_cell(tensor((), ()), ()) == ""
    assert name_cell(tensor((1,), ("d_model",)), (0,)) == "d_model=0"


def test_a_repeated_label_reads_with_its_position():
    assert name_cell(ONE_HEAD, (0, 1, 3)) == "i@1, i@3"


def test_a_token_and_a_word_of_the_vocabulary_that_are_the_same_say_which_is_which():
    labels = {"position": TOKENS, "vocab": ("am", "i", "<START>")}
    logits = TracedTensor("logits", np.zeros((4, 3)), ("position", "vocab"), labels, "", "")
    assert name_cell(logits, (2, 0)) == "position=am, vocab=am"
    assert name_cell(logits, (3, 1)) == "position=i@3, vocab=i"
    assert name_cell(logits, (2, 1)) == "am, i"
    assert name_cell(ONE_HEAD, (0, 2, 2)) == "am, am"


@given(st.integers(0, 1), st.integers(0, 3), st.integers(0, 3))
def test_no_two_cells_read_alike(head, query, key):
    cells = np.ndindex(tensor().shape)
    alike = [c for c in cells if name_cell(tensor(), c) == name_cell(tensor(), (head, query, key))]
    assert alike == [(head, query, key)]


def along(*tokens):
    return TracedTensor("logits", np.zeros((len(tokens),)), ("vocab",), {"vocab": tokens}, "", "")


@pytest.mark.parametrize(
    ("label", "place"),
    [("Paris", 0), (" Paris", 1), ("␣Paris", 1), (" is", 4), (" is@5", 5), (" ", 6)],
)
def test_a_token_is_named_by_what_it_says_its_spaces_included(label, place):
    spaced = along("Paris", "␣Paris", "is", "↵", "␣is", "␣the", "␣")
    if label == " is@5":
        spaced = along("␣a", "␣a", "␣a", "␣a", "␣is", "␣is")
    assert find_cell(spaced, {"vocab": label}) == (place,)


def test_a_token_with_a_space_is_never_taken_for_the_one_without():
    with pytest.raises(PellucidError, match='no " Rome" along vocab of logits'):
        find_cell(along("Rome", "␣Paris"), {"vocab": " Rome"})


def test_of_words_that_have_no_spaces_those_around_them_are_for_the_eye():
    assert find_cell(along("i", "am"), {"vocab": " am "}) == (1,)
