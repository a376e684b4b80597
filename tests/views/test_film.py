"""A film shows itself: its steps and losses, and of a text the tensors over all steps."""

import numpy as np

import pellucid
from pellucid.training.losses import Losses
from pellucid.views.film import film_blocks, film_trace_blocks
from pellucid.views.scene import Curve, Matrix, Row, Table
from pellucid.views.summary import tensor_blocks
from tests.views.catalogue.given import film as watched


def test_a_film_lists_steps_with_their_losses_from_the_first_to_the_last():
    film = watched().film
    table, curve = film_blocks(film)
    assert isinstance(table, Table)
    assert isinstance(curve, Curve)
    assert "51 epochs, 0 to 200" in str(table.title)
    assert [row[0] for row in table.rows] == list(range(0, 201, 20))
    for step, loss in table.rows[1:]:
        assert (step, loss) in film.losses.training
    assert "float32" in str(table.note)
    assert "11 of 51" in str(table.note)


def test_a_film_of_one_step_without_losses_has_no_curve():
    film = pellucid.film(pellucid.train(["a b"], preset="baby-groot", film=[3]))
    alone = type(film)(film.config, film.tokenizer, film.frames, Losses(()))
    (table,) = film_blocks(alone)
    assert isinstance(table, Table)
    assert table.title == "A film of a training: epoch 3"
    assert table.rows == ((3, None),)


def test_of_a_text_every_tensor_is_listed():
    (table,) = film_trace_blocks(watched())
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == list(watched().names)
    row = {row[0]: row for row in table.rows}["blocks.0.attn.pattern"]
    assert row[1:3] == ("step head query key", "51×1×3×3")


def test_each_shows_itself_in_text_and_in_a_notebook():
    for thing in (watched(), watched().film):
        assert "epochs" in repr(thing)
        assert "epochs" in thing._repr_html_()


def test_of_many_steps_some_from_the_beginning_to_the_end_are_shown():
    pattern = watched()["blocks.0.attn.pattern"]
    blocks = tensor_blocks(pattern)
    (row,) = (block for block in blocks if isinstance(block, Row))
    titles = [block.title for block in row.blocks if isinstance(block, Matrix)]
    assert titles[0] == "step 0"
    assert titles[-1] == "step 200"
    assert len(titles) == 8
    last = row.blocks[-1]
    assert isinstance(last, Matrix)
    np.testing.assert_array_equal(last.values, pattern.values[-1, 0])
    assert "Shown: 8 of 51, from step 0 to step 200" in str(blocks[-1])
