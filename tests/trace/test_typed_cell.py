"""A cell as it is typed."""

import pytest

from pellucid.errors import PellucidError
from pellucid.trace.typed_cell import read_cell


@pytest.mark.parametrize(
    ("typed", "name", "places"),
    [
        ("loss", "loss", {}),
        ("logits[]", "logits", {}),
        ("scores[query=am,key=i]", "scores", {"query": "am", "key": "i"}),
        (" scores [ query = am , key = i ] ", "scores", {"query": "am", "key": "i"}),
        ("q[position=-1,d_head=3]", "q", {"position": -1, "d_head": 3}),
        ('logits[position=+2,vocab="2"]', "logits", {"position": 2, "vocab": "2"}),
        ('p[vocab="a,b]\\"[c=d"]', "p", {"vocab": 'a,b]"[c=d'}),
        ('p[vocab="back\\\\slash"]', "p", {"vocab": "back\\slash"}),
        ('p[vocab=" space "]', "p", {"vocab": " space "}),
        ("p[position= 3, vocab= Paris ]", "p", {"position": 3, "vocab": " Paris"}),
        ('p[vocab= "Paris"]', "p", {"vocab": "Paris"}),
        ("p[vocab==]", "p", {"vocab": "="}),
        ("p[vocab=<END>,]", "p", {"vocab": "<END>"}),
        ("p[vocab=日本]", "p", {"vocab": "日本"}),
        ("p[vocab=1.5]", "p", {"vocab": "1.5"}),
        ("p[vocab=three words here]", "p", {"vocab": "three words here"}),
    ],
)
def test_names_and_places(typed, name, places):
    assert read_cell(typed) == (name, places, [])


@pytest.mark.parametrize(
    ("typed", "places", "bare"),
    [
        ("scores[am, i]", {}, ["am", "i"]),
        ("q[am, d_head=3]", {"d_head": 3}, ["am"]),
        ('p[2, "2"]', {}, [2, "2"]),
        ("p[am@3,i]", {}, ["am@3", "i"]),
    ],
)
def test_places_may_stand_in_the_order_of_the_dims(typed, places, bare):
    assert read_cell(typed)[1:] == (places, bare)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "[query=am]",
        "scores[query=am",
        "scores query=am]",
        "scores[query=am] and more",
        "scores[=am]",
        "scores[query=]",
        'scores[query="am]',
        "scores[query=am key=i,]x",
        "scores[,query=am]",
    ],
)
def test_what_is_no_cell_is_refused_with_how_to_write_one(typed):
    with pytest.raises(PellucidError, match=r"Write it as NAME\[dim=place,dim=place\]") as caught:
        read_cell(typed)
    assert "\n" not in str(caught.value)


def test_a_dim_is_given_once():
    with pytest.raises(PellucidError, match="query is given twice"):
        read_cell("scores[query=am,query=i]")


def test_a_number_longer_than_any_index_is_a_label():
    digits = "9" * 5000
    assert read_cell(f"logits[position=1,vocab={digits}]")[1] == {"position": 1, "vocab": digits}
