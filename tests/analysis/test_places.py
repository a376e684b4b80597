"""Places by kind, by tensor and by position, and what is no place."""

import pytest

from pellucid.analysis.contrast import Contrast
from pellucid.analysis.places import find_places, find_positions, find_rows
from pellucid.analysis.read_contrast import read_contrast
from pellucid.errors import PellucidError
from tests.analysis.contrasts import model_of
from tests.small_models import OPTIONS

PROMPTS = ("oak ash fir", "oak elm fir")


def places_of(kind, *, option="as it is", **how):
    model = model_of(option)
    contrast = read_contrast(model, *PROMPTS, ("oak", "ash"))
    return find_places(model.graph, kind, contrast, **how)


@pytest.mark.parametrize(
    ("kind", "local", "dim", "columns"),
    [
        ("stream", "resid_pre", "position", (0, 1, 2, 3)),
        ("attention", "attn.out", "position", (0, 1, 2, 3)),
        ("mlp", "mlp.out", "position", (0, 1, 2, 3)),
        ("heads", "attn.z", "head", (0, 1, 2, 3)),
        ("attn.pattern", "attn.pattern", "head", (0, 1, 2, 3)),
        ("attn.keys", "attn.keys", "kv_head", (0, 1)),
    ],
)
def test_each_kind_has_a_row_for_each_layer(kind, local, dim, columns):
    places = places_of(kind, option="grouped heads")
    assert [row.label for row in places.rows] == [f"blocks.0.{local}", f"blocks.1.{local}"]
    assert [row.layer for row in places.rows] == [0, 1]
    assert (places.dim, places.columns) == (dim, columns)
    assert places.positions == (0, 1, 2, 3)


def test_an_alias_is_looked_up_and_keeps_its_name():
    stream = places_of("stream").rows[1]
    assert (stream.label, stream.name) == ("blocks.1.resid_pre", "blocks.0.resid_post")


@pytest.mark.parametrize(
    ("kind", "label", "layer"),
    [("blocks.1.attn.z", "blocks.1.attn.z", 1), ("embed.out",) * 2 + (None,)],
)
def test_a_whole_name_is_one_row(kind, label, layer):
    (row,) = places_of(kind).rows
    assert (row.label, row.layer) == (label, layer)


def test_other_programs_names_are_understood():
    (row,) = places_of("blocks.1.attn.hook_z").rows
    assert (row.label, row.name) == ("blocks.1.attn.z", "blocks.1.attn.z")


@pytest.mark.parametrize("option", OPTIONS)
def test_every_tensor_on_the_way_to_the_logits_has_places(option):
    graph = model_of(option).graph
    for node in graph.needed_for(frozenset({"logits"}))[:-1]:
        places = places_of(node.name, option=option)
        assert [row.name for row in places.rows] == [node.name]
        assert places.dim in node.dims


def test_positions_are_indices_or_tokens_of_the_clean_prompt():
    assert places_of("stream", positions=[-1, "ash", 2]).columns == (2, 3)
    assert places_of("stream", positions="ash").columns == (2,)
    assert places_of("stream", positions=-1).columns == (3,)
    chosen = places_of("heads", positions=["ash"])
    assert (chosen.columns, chosen.positions) == ((0, 1, 2, 3), (2,))


def test_all_columns_together_are_one_place():
    for kind in ("stream", "heads"):
        assert places_of(kind, together=True).columns == (None,)
    places = places_of("stream", together=True, positions=[1, 2])
    assert places.at(places.rows[0], None) == ([1, 2], slice(None))


def test_a_place_is_an_index_into_its_tensor():
    stream = places_of("stream")
    assert stream.at(stream.rows[0], 2) == (slice(2, 3), slice(None))
    heads = places_of("heads", positions=[0, 3])
    assert heads.at(heads.rows[0], 1) == (slice(1, 2), [0, 3], slice(None))
    pattern = places_of("attn.pattern", positions=[3])
    assert pattern.at(pattern.rows[0], 1) == (slice(1, 2), [3], slice(None))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            {"kind": "head"},
            'places="head" is none of stream, attention, mlp, heads, and this model',
        ),
        ({"kind": "haeds"}, "has no such tensor. Did you mean heads"),
        ({"kind": "attn.zz"}, "has no such tensor. Did you mean attn.z"),
        ({"kind": "logits"}, "No logit follows from logits"),
        ({"kind": "probs"}, "No logit follows from probs"),
        ({"kind": "loss"}, "No logit follows from loss"),
        ({"kind": "norm1.mean"}, "intermediate of blocks.0.norm1: only what a step makes"),
        ({"kind": "stream", "positions": [4]}, "position=4 is out of range"),
        ({"kind": "stream", "positions": ["elm"]}, 'no "elm" along position of the clean prompt'),
        ({"kind": "stream", "positions": []}, "There is no position in this list"),
        ({"kind": "mlp", "option": "attention only"}, "The blocks of this model have no mlp.out"),
    ],
)
def test_what_is_no_place_is_said(how, said):
    with pytest.raises(PellucidError, match=said):
        places_of(**how)


def test_rows_stand_in_the_order_of_the_layers():
    graph = model_of().graph
    assert [row.layer for row in find_rows(graph, "heads")] == [0, 1]


def test_positions_are_put_in_order_each_once():
    tokens = tuple(map(str, range(40)))
    contrast = Contrast(
        clean=tuple(range(40)),
        corrupted=tuple(range(1, 41)),
        clean_tokens=tokens,
        corrupted_tokens=tokens,
        answer=0,
        instead=1,
        answer_tokens=("0", "1"),
    )
    assert find_positions(contrast, [33, "1", -7]) == (1, 33)
