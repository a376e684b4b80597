"""Edits as data: how they are made, how they read, and that JSON keeps them."""

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.trace.edits import CopyFrom
from tests.small_models import WORDS, small_model

EDITS = [
    pellucid.zero("blocks.0.attn.pattern", head=0),
    pellucid.zero("q", head=[0, -1], position=["ash", 'a "quoted" one'], at_steps=[2, 0]),
    pellucid.set_to("x", 0.1, key=slice(1, None), query=slice(None, -1, 2)),
    pellucid.set_to("x", [[1, -np.inf], [2.5, 3]], head=2),
    pellucid.set_to("x", -np.inf),
    pellucid.scale("x", -2, position=np.int64(3)),
    pellucid.add("x", np.float32(0.1)),
    pellucid.mean_over("x", "position"),
    pellucid.mask_attention(query="groot", key=["i", 0], layer=[0, 2], head=1),
    pellucid.mask_attention(),
]


def test_json_gives_them_back():
    text = pellucid.edits_to_json(EDITS)
    assert pellucid.edits_from_json(text) == tuple(EDITS)
    assert "Infinity" not in text.replace('"-Infinity"', "")


def test_json_reads_as_it_would_be_written_by_hand():
    assert pellucid.edits_to_json(EDITS[:1]) == (
        '[{"edit":"zero","name":"blocks.0.attn.pattern","cell":{"head":0}}]'
    )
    found = pellucid.edits_from_json('[{"edit": "set_to", "name": "q", "value": "-Infinity"}]')
    assert found == (pellucid.set_to("q", -np.inf),)


def test_values_of_another_run_are_carried_along():
    trace = small_model(tokenizer=WORDS).trace("ash bud")
    edit = pellucid.copy_from("blocks.0.attn.z", trace, head=[1, 0], position="bud")
    assert isinstance(edit, CopyFrom)
    np.testing.assert_array_equal(edit.value.array, trace.values["blocks.0.attn.z"][[1, 0]][:, [2]])
    assert pellucid.edits_from_json(pellucid.edits_to_json([edit])) == (edit,)


NO_VALUES = [
    *((f'"{word}"', f'"{word}" is no number') for word in ("a", "NaN", "Infinity", "1_0", " 7 ")),
    ('{"shape": [1], "numbers": ["inf"]}', '"inf" is no number'),
    ('{"shape": [], "numbers": []}', r"0 numbers do not fill \[\]"),
    ('{"shape": [3], "numbers": [1, 2]}', r"2 numbers do not fill \[3\]"),
    (f'{{"shape": {[1] * 70}, "numbers": [1]}}', "70 dims are more"),
    ('{"shape": [0, 9223372036854775807], "numbers": []}', "longer than any tensor"),
]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"edit": "zero", "name": "q", "steps": [-1]}]', "counted from 0"),
        ('[{"edit": "zero", "name": "q", "steps": []}]', "give one or more"),
        ('[{"edit": "zero", "name": "q", "steps": [99999999999]}]', "no generation comes to"),
        (
            '[{"edit": "set_to", "name": "q", "value": {"shape": [-1, -1], "numbers": [1]}}]',
            r"1 numbers do not fill \[-1, -1\]",
        ),
        (
            # 2³² × 2³², which is 0 among integers of 64 bits.
            '[{"edit": "set_to", "name": "q", "value": {"shape": [4294967296, 4294967296],'
            ' "numbers": []}}]',
            "0 numbers do not fill",
        ),
        ("nonsense", "These are no edits"),
        ('[{"edit": "nul", "name": "q"}]', "Invalid value 'nul'"),
        ('[{"edit": "zero"}]', "missing required field `name`"),
        ('[{"edit": "zero", "name": "q", "cells": {}}]', "unknown field `cells`"),
        ('[{"edit": "set_to", "name": "q", "value": "much"}]', '"much" is no number'),
        (
            '[{"edit": "set_to", "name": "q", "value": {"shape": [2], "numbers": [1]}}]',
            r"1 numbers do not fill \[2\]",
        ),
        *(
            (f'[{{"edit": "{verb}", "name": "q", "value": {value}}}]', words)
            for verb in ("set_to", "add")
            for value, words in NO_VALUES
        ),
        (
            '[{"edit": "copy_from", "name": "q", "value": {"shape": [1], "numbers": ["nan"]}}]',
            '"nan" is no number',
        ),
    ],
)
def test_what_is_no_edit_is_said(text, words):
    with pytest.raises(PellucidError, match=words):
        pellucid.edits_from_json(text)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pellucid.set_to("q", float("nan")), "NaN"),
        (lambda: pellucid.add("q", [1, np.inf]), "NaN or \\+∞"),
        (lambda: pellucid.set_to("q", "much"), "neither a number nor an array"),
        (lambda: pellucid.scale("q", np.inf), "factor is inf"),
        (
            lambda: pellucid.scale("q", "much"),  # type: ignore[arg-type]
            "'much' is no number",
        ),
        (lambda: pellucid.zero("q", head=1.5), "head=1.5 is no place"),
        (lambda: pellucid.zero("q", at_steps=[]), "give one or more"),
        (lambda: pellucid.zero("q", at_steps=[-1]), "counted from 0"),
        (lambda: pellucid.zero("q", at_steps=[0, 10**30]), "a step that no generation comes to"),
        (lambda: pellucid.mask_attention(layer=0.5), "layer=0.5"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_meant_is_said_at_once(make, words):
    with pytest.raises(PellucidError, match=words):
        make()


def test_an_edit_says_what_it_does():
    assert [str(edit) for edit in EDITS] == [
        "zero blocks.0.attn.pattern[head=0]",
        r'zero q[head=0|-1,position=ash|"a \"quoted\" one"] at 0,2',
        "set_to x[key=1:,query=:-1:2] 0.1",
        "set_to x[head=2] 2 × 2 numbers",
        "set_to x -inf",
        "scale x[position=3] -2",
        "add x 0.10000000149011612",
        "mean_over x position",
        "mask_attention [head=1,query=groot,key=i|0,layer=0|2]",
        "mask_attention",
    ]


def test_an_edit_does_not_change():
    with pytest.raises(AttributeError):
        EDITS[0].name = "other"  # type: ignore[misc, union-attr]
