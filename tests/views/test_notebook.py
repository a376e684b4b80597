"""The blocks of the notebook's training."""

from dataclasses import replace

import pytest

from pellucid.interop.notebook import PRINTED_LOSSES, train_as_the_notebook
from pellucid.views.notebook import absent_blocks, later_table, loss_table, notebook_blocks, verdict
from pellucid.views.terminal import to_text


@pytest.fixture(scope="module")
def found():
    return train_as_the_notebook()


def moved(found, epoch, nats):
    """The same training, one of its losses moved."""
    history = list(found.history)
    history[epoch] = replace(history[epoch], mean_of_batches=history[epoch].mean_of_batches + nats)
    return replace(found, history=tuple(history))


def test_each_loss_stands_beside_the_printed_one(found):
    rows = loss_table(found).rows
    assert [row[0] for row in rows] == [f"epoch {number}" for number in range(0, 500, 50)]
    assert [float(str(row[1])) for row in rows] == list(PRINTED_LOSSES)
    assert [round(float(str(row[2])), 4) for row in rows] == list(PRINTED_LOSSES)


def test_the_verdict_tells_digits_from_rounding_and_rounding_from_another_training(found):
    assert verdict(found) == "All 10 losses agree to 4 decimals."
    assert "9 of 10 losses agree to 4 decimals; the other is within 0.000" in verdict(
        moved(found, 300, 0.0002)
    )
    assert "do not agree" in verdict(moved(found, 300, 0.01))
    assert not moved(found, 300, 0.01).is_near
    assert str(loss_table(moved(found, 300, 0.0002)).rows[6][3]).endswith("other digits")


def test_what_is_read_off_the_finished_model_is_held_against_what_was_printed(found):
    verdicts = {str(row[0]): row[3] for row in later_table(found).rows}
    assert verdicts["“i am” becomes"] == verdicts["“tree needs” becomes"] == "same"
    assert verdicts["“groot likes” becomes"] == verdicts["<END> after “i am groot”"] == "other"


@pytest.mark.parametrize("width", [60, 80, 160])
def test_it_fits_every_page(found, width):
    for blocks in (notebook_blocks(found), absent_blocks()):
        assert max(map(len, to_text(blocks, width=width).splitlines())) <= width
