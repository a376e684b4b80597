"""What heads look at, as a table of the clearest and a matrix of all."""

import numpy as np
import pytest

import pellucid
from pellucid.views.scene import Matrix, Row, Table
from tests.analysis.induction import made_by_hand
from tests.small_models import WORDS, small_model
from tests.views.catalogue.given import view


@pytest.fixture(scope="module")
def summary():
    return pellucid.heads(made_by_hand())


def test_each_kind_has_a_matrix_of_all_heads(summary):
    table, row = view("head_shares", summary)
    assert isinstance(table, Table)
    assert isinstance(row, Row)
    for kind, matrix in zip(summary.kinds, row.blocks, strict=True):
        assert isinstance(matrix, Matrix)
        assert matrix.title == kind.capitalize()
        assert np.array_equal(matrix.values, summary.shares[kind])
        assert (matrix.rows.dim, matrix.columns.dim) == ("block", "head")


def test_the_table_names_those_that_are_of_a_kind_and_the_nearest_to_it(summary):
    table, _ = view("head_shares", summary)
    cells = {kind: heads for kind, _, heads in table.rows}
    assert cells["previous token"] == "0:1 100.0%"
    assert cells["induction"] == "1:0 91.7%"
    assert cells["first token"].startswith("none; most: ")
    assert "6 random tokens and the same 6 again" in table.note
    assert "from 40.0% on" in table.note


def test_of_many_the_clearest_are_named_and_the_others_counted():
    summary = pellucid.heads(small_model(), threshold=1e-6)
    table, _ = view("head_shares", summary)
    cell = table.rows[0][2]
    best = summary.best("previous token")
    assert cell.startswith(f"{best[0].block}:{best[0].head} ")
    assert cell.endswith("and 3 more")
    assert cell.count("%") == 5


def test_a_text_that_cannot_show_a_kind_says_so():
    table, _ = view("head_shares", pellucid.heads(small_model(tokenizer=WORDS), "oak ash fir"))
    cells = {kind: heads for kind, _, heads in table.rows}
    assert cells["induction"] == "no place in this text to look for"
    assert "NaN" not in table.note


def test_rollout_is_shown_after_the_last_block_or_another():
    rolled = pellucid.rollout(small_model(tokenizer=WORDS).trace("oak ash fir"))
    for block, after in ((-1, 1), (0, 0)):
        (matrix,) = view("rollout", rolled, block=block)
        assert np.array_equal(matrix.values, rolled.values[after])
        assert matrix.kind == "probability"
        assert "leaves 50.0%" in matrix.note
