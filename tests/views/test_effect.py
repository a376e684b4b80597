"""How far a change travelled: bars of the steps, and the stream at each token."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.decoder.stream import states_of_block
from pellucid.model.model import Model
from pellucid.trace.compare import compare_traces
from pellucid.views.effect import (
    MOST_BARS,
    effect_blocks,
    followed,
    movements,
    names_of_sides,
    stream_matrix,
)
from pellucid.views.prediction_shift import shift_blocks
from pellucid.views.scene import Bars, Matrix, Row
from tests.small_models import SMALL, WORDS, random_parameters, small_config, small_model

PROMPT = "ash bud elm oak"
A = small_model(tokenizer=WORDS).trace(PROMPT)
B = small_model(seed=1, tokenizer=WORDS).trace(PROMPT)
FOUND = compare_traces(A, B)


def moved(*given):
    """The blocks that stand side by side."""
    (row,) = movements(*given)
    assert isinstance(row, Row)
    return row.blocks


def bars_of(found):
    (bars,) = (block for block in moved(found.tensors, found.stream) if isinstance(block, Bars))
    return bars


def test_steps_are_in_the_order_of_the_graph_with_their_own_change():
    names = [name for name, _ in bars_of(FOUND).items]
    assert names == [name for name in A.names if name in names]
    parts = ("attn.out", "resid_mid", "mlp.out", "resid_post")
    assert names == [*(f"blocks.{i}.{part}" for i in (0, 1) for part in parts), *names[-2:]]
    assert names[-2:] == ["final_norm", "logits"]
    for name, share in bars_of(FOUND).items:
        a, b = A[name].values, B[name].values
        assert share == pytest.approx(100 * np.sqrt(((b - a) ** 2).sum() / (a**2).sum()))


def test_nothing_stands_before_the_first_change():
    model = small_model(tokenizer=WORDS)
    weights = {name: array.copy() for name, array in model.parameters.items()}
    weights["blocks.1.mlp.w_in"] += 1
    found = compare_traces(A, Model(model.config, weights, WORDS).trace(PROMPT))
    assert [name for name, _ in bars_of(found).items] == [
        *("blocks.1.mlp.out", "blocks.1.resid_post", "final_norm", "logits")
    ]


def test_a_deep_model_has_a_bar_for_each_block():
    config = SMALL.replace(n_layer=8)
    runs = [
        Model(config, random_parameters(config, seed=seed), WORDS).trace("ash elm")
        for seed in (0, 1)
    ]
    names = [name for name, _ in bars_of(compare_traces(*runs)).items]
    assert names == [*(f"blocks.{i}.resid_post" for i in range(8)), "final_norm", "logits"]
    assert len(followed(compare_traces(*runs).tensors, ("attn.out", "mlp.out"))) < MOST_BARS


def test_what_is_edited_has_a_bar_too_unless_it_became_infinite():
    edited = tuple(
        replace(each, kind="edited", relative=np.inf if "scores" in each.name else each.relative)
        if each.name in ("blocks.0.attn.z", "blocks.0.attn.masked_scores")
        else each
        for each in FOUND.tensors
    )
    (bars,) = moved(edited, None)
    assert isinstance(bars, Bars)
    assert next(name for name, _ in bars.items) == "blocks.0.attn.z"


def test_the_stream_has_a_row_for_each_token_and_a_column_for_each_state():
    _, matrix = moved(FOUND.tensors, FOUND.stream)
    assert isinstance(matrix, Matrix)
    assert FOUND.stream is not None
    assert matrix.values.T.tolist() == [list(row) for row in FOUND.stream.values]
    assert matrix.columns.labels == (
        *("embed.out", "0.resid_mid", "0.resid_post", "1.resid_mid", "1.resid_post"),
    )
    assert matrix.rows.labels == A.tokens


@pytest.mark.parametrize("option", ["as it is", "post norm", "attention only"])
def test_of_many_states_the_last_of_each_block_is_shown(option):
    config = small_config(option).replace(n_layer=14)
    runs = [
        Model(config, random_parameters(config, seed=seed), WORDS).trace("ash elm")
        for seed in (0, 1)
    ]
    change = compare_traces(*runs).stream
    assert change is not None
    matrix = stream_matrix(change)
    assert matrix.columns.labels == ("embed", *map(str, range(14)))
    ends = [f"blocks.{i}.{states_of_block(config)[-1]}" for i in range(14)]
    rows = [change.values[change.states.index(name)] for name in ("embed.out", *ends)]
    assert matrix.values.T.tolist() == list(map(list, rows))


def test_two_runs_are_before_and_after_where_the_second_was_edited():
    assert names_of_sides(FOUND) == ("a", "b")
    assert names_of_sides(replace(FOUND, edits_in_b=("zero x",))) == ("before", "after")
    both = replace(FOUND, edits_in_a=("zero x",), edits_in_b=("zero y",))
    assert names_of_sides(both) == ("a", "b")


def test_what_comes_next_stands_below():
    assert FOUND.shift is not None
    shown = shift_blocks(FOUND.shift, before="a", after="b")
    assert tuple(map(repr, effect_blocks(FOUND)[1:])) == tuple(map(repr, shown))
    assert len(effect_blocks(replace(FOUND, shift=None))) == 1


def test_there_is_nothing_to_show_of_equal_runs():
    assert effect_blocks(compare_traces(A, A)) == ()
