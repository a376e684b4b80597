"""The blocks of the decoder-only stack's reproduction."""

from dataclasses import replace

from pellucid.interop.lesson_3_figures import Figure, Variation, reproduce
from pellucid.views.lesson_3 import (
    figure_row,
    figure_table,
    numbers_text,
    remarks,
    stage_table,
    verdict,
)

LESSON = reproduce()


def test_every_figure_and_every_stage_has_its_row():
    assert [row[0] for row in figure_table(LESSON).rows] == [f.name for f in LESSON.figures]
    assert [row[2] for row in stage_table(LESSON).rows][-1] == "(1, 8, 24)"
    assert len(stage_table(LESSON).rows) == len(LESSON.stages)


def test_ours_shows_more_digits_than_the_printed_number():
    figure = Figure("score", (0.25,), (0.2549,), 2)
    assert figure_row(figure) == ("score", "0.25", "0.25490", "5e-03")
    assert figure_row(replace(figure, ours=(0.25,))) == ("score", "0.25", "0.25000", "0")


def test_a_wrong_figure_says_so():
    wrong = Figure("ids", (1, 2), (1, 3))
    assert figure_row(wrong) == ("ids", "1 2", "1 3", "1e+00, wrong")
    assert "1 of 23 printed figures do not agree**: ids" in verdict(
        replace(LESSON, figures=(*LESSON.figures, wrong))
    )


def test_what_is_not_printed_stays_empty():
    assert figure_row(Figure("ids", None, (1, 3))) == ("ids", "", "1 3", "")


def test_equal_numbers_are_counted():
    assert numbers_text((1.0, 1.0, 1.0), 2) == "3 × 1.00"
    assert numbers_text((1.0,), 2) == "1.00"


def test_remarks_are_about_the_variation():
    assert "so 3 of them" in remarks(reproduce(Variation(n_layer=3)))
    assert "The 2 texts" in remarks(reproduce(Variation(batch=2)))
    assert "transposed" in remarks(reproduce(Variation(tied_head=True)))
