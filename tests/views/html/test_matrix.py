"""A matrix as an HTML table: every number with its labels, in its colour, and what is left out."""

import numpy as np
import pytest

from pellucid.views.html.colours import step_class
from pellucid.views.html.matrix import draw_matrix
from pellucid.views.html.sheet import Sheet
from pellucid.views.matrix import Axis, Matrix
from pellucid.views.numbers import NumberFormat
from tests.small_models import small_model
from tests.views.html.parsed import by_class, cells, parsed, words
from tests.views.html.test_element import HOSTILE


def drawn(matrix, **sheet):
    return parsed(draw_matrix(matrix, Sheet(**sheet)))


@pytest.mark.parametrize(
    "option", ["as it is", "one head", "grouped heads", "sinusoidal positions"]
)
def test_every_number_of_every_tensor_stands_with_its_labels(option):
    trace = small_model(option).trace(ids=[1, 4, 4, 2], target="next")
    for name in (*trace.names, *trace.parameters):
        for matrix in Matrix.each(trace[name]):
            (table,) = drawn(matrix).iter("table")
            head, *rows = cells(table)
            form = NumberFormat.fitting(matrix.values)
            assert [row[1:] for row in rows] == [
                [form.text(number) for number in row] for row in matrix.values.tolist()
            ]
            for axis, shown in (
                (matrix.columns, head[1:]),
                (matrix.rows, [row[0] for row in rows]),
            ):
                assert len(set(shown)) == len(shown)
                if axis.labels is not None:
                    for text, label in zip(shown, axis.labels, strict=True):
                        assert label in text


def test_the_corner_names_the_dims():
    root = drawn(Matrix("P", np.eye(2), Axis("query"), Axis("key")))
    assert words(by_class(root, "corner")[0]) == "query ↓ key →"
    root = drawn(Matrix("P", np.eye(2)[:1], Axis(""), Axis("vocab")))
    assert words(by_class(root, "corner")[0]) == "vocab →"


def test_cells_are_coloured_by_kind_and_limit():
    values = np.array([[1.0, -0.5, 0.0, -np.inf, np.nan, np.inf]])
    for kind in ("signed", "probability", "plain"):
        (table,) = drawn(Matrix("M", values, Axis(""), Axis(""), kind=kind)).iter("table")
        shown = [cell.get("class", "") for cell in table.iter("td")]
        assert shown == [step_class(kind, number, 1.0) for number in values[0]]
    (table,) = drawn(Matrix("M", values, Axis(""), Axis(""), limit=2.0)).iter("table")
    assert [cell.get("class", "") for cell in table.iter("td")][:2] == ["p5", "n2"]


def test_the_legend_goes_from_one_end_of_the_scale_to_the_other():
    both = by_class(drawn(Matrix("M", np.array([[2.0, -1.0]]), Axis(""), Axis(""))), "legend")[0]
    assert words(both) == "-22"
    swatches = [each.get("class") for each in by_class(both, "scale")[0]]
    assert (swatches[0], swatches[10], swatches[-1]) == ("n10", "zero", "p10")
    shares = Matrix("M", np.array([[0.2, 0.8]]), Axis(""), Axis(""), kind="probability")
    assert words(by_class(drawn(shares), "legend")[0]) == "01"
    ids = Matrix("M", np.array([[2, 1]]), Axis(""), Axis(""), kind="ids")
    assert by_class(drawn(ids), "legend") == []


def test_a_large_matrix_shows_its_edges_and_says_so():
    matrix = Matrix("E", np.arange(100.0 * 90).reshape(100, 90), Axis("a"), Axis("b"), name="e.w")
    root = drawn(matrix, rows=8, columns=6)
    (table,) = root.iter("table")
    head, *rows = cells(table)
    assert head[1:] == ["0", "1", "2", "3", "…", "89"]
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4", "⋮", "98", "99"]
    assert {len(row) for row in (head, *rows)} == {7}
    assert rows[-1][-1] == "8999"
    note = words(by_class(root, "note")[0])
    assert note == (
        "Shown: 7 of 100 rows (0–4, 98–99) and 5 of 90 columns (0–3, 89); "
        ".values of e.w has all 9,000."
    )


@pytest.mark.parametrize("hostile", [*HOSTILE, " a ", "a\nb", "\x1b[31m", "x" * 5000, ""])
def test_labels_titles_and_notes_are_text(hostile):
    axis = Axis("key", (hostile,))
    root = drawn(Matrix(hostile, np.ones((1, 1)), axis, axis, name=hostile, note="n"))
    (label, _) = root.iter("bdi")
    if hostile in HOSTILE:
        assert words(label) == hostile or "…" in words(label)
        assert words(next(root.iter("figcaption"))) == hostile
    assert len(words(label)) <= 24
    assert words(label).isprintable()


def test_equal_labels_are_told_apart_by_their_places():
    axis = Axis("position", ("a", "b", "a"))
    (table,) = drawn(Matrix("M", np.eye(3), axis, Axis(""))).iter("table")
    assert [row[0] for row in cells(table)[1:]] == ["0 a", "1 b", "2 a"]


def test_a_matrix_may_ask_for_few_decimals():
    values = np.array([[0.84014, -0.00031], [0.0, 0.39638]])
    few = Matrix("T", values, Axis("layer"), Axis("head"), decimals=2)
    (table,) = drawn(few).iter("table")
    assert [row[1:] for row in cells(table)[1:]] == [["0.84", "0.00"], ["0", "0.40"]]


def test_words_stand_in_cells_with_their_shares():
    matrix = Matrix(
        "W",
        np.array([[0.25, 1.0]]),
        Axis(""),
        Axis("position"),
        kind="probability",
        words=(("<b>oak</b>", " elm"),),
    )
    (table,) = drawn(matrix).iter("table")
    _, row = cells(table)
    assert row[1:] == ["<b>oak</b> 25%", "␣elm 100%"]
    assert [cell.get("class", "") for cell in table.iter("td")] == [
        step_class("probability", share, 1.0) for share in (0.25, 1.0)
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_words_hold_is_text(text):
    matrix = Matrix("W", np.ones((1, 1)), Axis(""), Axis("p"), words=((text,),))
    (table,) = drawn(matrix).iter("table")
    assert not list(table.iter("script"))
