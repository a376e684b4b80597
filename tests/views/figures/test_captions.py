"""Titles, names, formulas and notes stand around a picture and keep clear of it."""

import pytest

from pellucid.views.figures.captions import caption, plain
from pellucid.views.figures.measure import figure_of
from pellucid.views.figures.theme import LIGHT
from tests.views.figures.looks import written
from tests.views.figures.sheets import HOSTILE, sheet, styled, texts


def captioned(width=260.0, height=80.0, **words):
    with styled():
        axes = sheet(width, height)
        axes.set_xticks([0, 1], ["left", "right"])
        axes.set_yticks([0, 1], ["a long label", "b"])
        axes.xaxis.tick_top()
        caption(axes, LIGHT, words.pop("title", None), **words)
    return axes


def heights(axes):
    return {line.text: (line.box[1], line.box[3]) for line in written(figure_of(axes))}


def test_a_title_stands_over_name_and_formula_and_these_over_the_labels():
    axes = captioned(title="Pattern", name="attn.pattern", formula="softmax(scores)")
    found = heights(axes)
    (beneath,) = (text for text in found if text.startswith("attn.pattern"))
    assert axes.get_title(loc="left") == "Pattern"
    assert found["left"][1] < found[beneath][0]
    assert found[beneath][1] < found["Pattern"][0]


def test_name_and_formula_stand_below_each_other_where_the_room_is_short():
    long = captioned(name="blocks.0.attn.pattern", formula="softmax(masked_scores)" * 3)
    assert any("\n" in text for text in texts(long))


def test_a_note_stands_below_and_has_no_marks():
    found = heights(captioned(note="Of `all` **four** tokens."))
    assert found["Of all four tokens."][1] < found["a long label"][0]


def test_what_stands_around_begins_at_the_left_edge_of_the_labels():
    axes = captioned(title="Pattern", name="attn.pattern", note="Note.")
    left = {line.text: line.box[0] for line in written(figure_of(axes))}
    for words in ("Pattern", "attn.pattern", "Note."):
        assert left[words] == pytest.approx(left["a long label"], abs=2.0)


def test_it_stays_there_when_the_axes_become_another_size():
    axes = captioned(title="Pattern", name="attn.pattern", note="Note.")
    axes.set_position((0.3, 0.3, 0.15, 0.2))
    left = {line.text: line.box[0] for line in written(figure_of(axes))}
    for words in ("Pattern", "attn.pattern", "Note."):
        assert left[words] == pytest.approx(left["a long label"], abs=2.0)


def test_a_name_that_is_the_title_is_not_said_twice():
    assert texts(captioned(title="loss", name="loss")) == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_strange_words_are_wrapped_and_cut_to_the_room(text):
    axes = captioned(title=f"T {text}", name=f"n{text}", formula=f"f{text}", note=f"N {text}")
    assert max(line.box[2] for line in written(figure_of(axes))) <= axes.bbox.x1 + 120


def test_prose_without_its_marks():
    assert plain("**a** `b` [c](d)") == "a b c"
