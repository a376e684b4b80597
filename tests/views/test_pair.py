"""Two prompts side by side: their tokens, how far apart they are, and tensors of both."""

import numpy as np
import pytest

import pellucid
from pellucid.views import terminal
from pellucid.views.pair import MOST_SLICES, NAMED, paired_tensor_blocks, two_prompts
from pellucid.views.scene import Bars, Heading, Matrix, Prose, Row, Table
from tests.small_models import WORDS, small_model
from tests.views.figures.looks import assert_nothing_cut, assert_nothing_overlaps

MODEL = small_model(tokenizer=WORDS)
PAIR = pellucid.pair(MODEL, "ash elm oak", "ash bud elm fir")


def said(pair):
    """What is said above the tokens, in one line."""
    return " ".join(terminal.to_text(two_prompts(pair)[0]).split())


def matrices(row):
    assert isinstance(row, Row)
    return row.blocks


def test_every_token_of_both_has_its_place():
    table = two_prompts(PAIR)[1]
    assert isinstance(table, Table)
    assert [row[:3] for row in table.rows] == [
        ("0 <START>", "0 <START>", ""),
        ("1 ash", "1 ash", ""),
        ("", "2 bud", "only in b"),
        ("2 elm", "3 elm", ""),
        ("3 oak", "4 fir", "differs"),
    ]
    assert [row[3] for row in table.rows if row[3] is not None] == list(PAIR.divergences)
    assert table.rows[2][3] is None


def test_it_says_from_where_on_one_text_is_behind():
    assert said(PAIR) == (
        "a “<START> ash elm oak” and b “<START> ash bud elm fir”: 3 of 5 places have the same "
        "token; the others: bud in b alone, oak → fir. From elm on, b stands 1 place later, so its "
        "positions differ too."
    )
    alone = said(pellucid.pair(MODEL, "ash bud", "ash bud"))
    assert alone.endswith(": 3 of 3 places have the same token.")
    many = said(pellucid.pair(MODEL, [3, 4, 5, 6, 7, 8], [4, 6, 8, 3, 5, 7][::-1]))
    assert many.count("→") + many.count("alone") == NAMED
    assert " more." in many
    back = said(pellucid.pair(MODEL, "ash bud fir elm", "ash elm"))
    assert "From elm on, a stands 2 places later" in back
    assert "From" not in said(pellucid.pair(MODEL, "ash", "bud"))


def test_steps_and_stream_are_those_of_the_pair():
    moved, stream = matrices(two_prompts(PAIR)[2])
    assert isinstance(moved, Bars)
    relative = {each.name: 100 * each.relative for each in PAIR.tensors}
    assert moved.items == tuple((name, relative[name]) for name, _ in moved.items)
    assert [name for name, _ in moved.items][-2:] == ["final_norm", "logits"]
    assert isinstance(stream, Matrix)
    assert stream.values.T.tolist() == [list(row) for row in PAIR.stream.values]
    assert stream.rows.labels == PAIR.labels


def test_a_prompt_beside_itself_has_no_steps_that_moved():
    blocks = two_prompts(pellucid.pair(MODEL, "ash elm", "ash elm"))
    (stream,) = matrices(blocks[2])
    assert isinstance(stream, Matrix)
    assert not stream.values.any()


def test_a_tensor_of_both_and_its_difference_stand_side_by_side():
    paired = PAIR["embed.out"]
    heading, row = paired_tensor_blocks(paired)
    assert isinstance(heading, Heading)
    assert heading.text.endswith("embed.out")
    a, b, apart = matrices(row)
    assert (a.title, b.title, apart.title) == ("a", "b", "b − a")
    for matrix, tensor in ((a, paired.a), (b, paired.b), (apart, paired.difference)):
        assert np.array_equal(matrix.values, tensor.values)
        assert matrix.rows.labels == tensor.labels["position"]
    assert a.limit == b.limit == max(np.abs(paired.a.values).max(), np.abs(paired.b.values).max())
    assert apart.kind == "signed"


def test_of_several_heads_the_differences_are_shown_and_both_where_they_differ_most():
    paired = PAIR["blocks.0.attn.pattern"]
    largest = np.abs(paired.difference.values).max(axis=(1, 2))
    _, apart, both = paired_tensor_blocks(paired)
    assert [matrix.title for matrix in matrices(apart)] == [f"b − a, head {i}" for i in range(4)]
    for head, matrix in enumerate(matrices(apart)):
        assert np.array_equal(matrix.values, paired.difference.values[head])
        assert matrix.limit == largest.max()
    most = int(largest.argmax())
    a, b = matrices(both)
    assert (a.title, b.title) == (f"a, head {most}", f"b, head {most}")
    assert np.array_equal(a.values, paired.a.values[most])
    assert np.array_equal(b.values, paired.b.values[most])


def test_of_many_heads_those_are_shown_in_which_the_prompts_differ_most():
    wide = pellucid.Model.from_config(MODEL.config.replace(n_head=8), seed=0)
    paired = pellucid.pair(wide, [3, 4, 5], [3, 4, 6])["blocks.1.attn.pattern"]
    _, apart, note, both = paired_tensor_blocks(paired)
    order = np.argsort(-np.abs(paired.difference.values).max(axis=(1, 2)), kind="stable")
    shown = sorted(order[:MOST_SLICES].tolist())
    assert [matrix.title for matrix in matrices(apart)] == [f"b − a, head {i}" for i in shown]
    assert note == Prose("Shown: 4 of 8, where the prompts differ most.")
    assert matrices(both)[0].title == f"a, head {order[0]}"


def test_every_tensor_can_be_shown():
    for name in PAIR:
        assert PAIR[name].name in terminal.to_text(PAIR[name], width=100)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_line_is_wider_than_the_page(width):
    for thing in (PAIR, PAIR["blocks.0.attn.pattern"]):
        assert all(len(line) <= width for line in terminal.to_text(thing, width=width).split("\n"))


@pytest.mark.parametrize(
    ("theme", "name"), [("light", "embed.out"), ("dark", "blocks.0.attn.pattern")]
)
def test_figures_have_room_for_their_words(theme, name):
    one = pellucid.pair(small_model("one head", tokenizer=WORDS), "ash elm oak", "ash bud elm fir")
    figure = one[name].figure(theme=theme)
    assert_nothing_overlaps(figure)
    assert_nothing_cut(figure)


def test_it_shows_itself_in_a_notebook():
    assert "b − a" in PAIR["embed.out"]._repr_html_()
    assert "Tokens side by side" in PAIR._repr_html_()
    assert "Tokens side by side" in repr(PAIR)
