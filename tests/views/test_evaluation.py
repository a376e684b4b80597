"""An evaluation as blocks."""

from math import exp

from pellucid.training.evaluate import Evaluation, Place
from pellucid.views.evaluation import evaluation_blocks

WORST = (Place(7, 2, 4.5, (0, 1)), Place(3, 1, 2.25, (2,)))


def written(ids):
    return "".join("abc"[i] for i in ids)


def test_the_loss_stands_in_three_units():
    found = Evaluation(tokens=10, bytes=20, loss=1.5, worst=())
    (table,) = evaluation_blocks(found, written)
    assert {row[0]: row[1] for row in table.rows} == {
        "nats per token": "1.5000",
        "bits per byte": f"{found.bits_per_byte:.4f}",
        "perplexity": f"{exp(1.5):.4f}",
    }


def test_without_bytes_there_are_no_bits_per_byte():
    (table,) = evaluation_blocks(Evaluation(tokens=10, bytes=0, loss=1.5, worst=()), written)
    assert [row[0] for row in table.rows] == ["nats per token", "perplexity"]


def test_the_worst_places_keep_their_order_and_say_what_stood_before():
    _, table = evaluation_blocks(Evaluation(tokens=9, bytes=9, loss=1.0, worst=WORST), written)
    assert table.rows == (
        ("c", f"{exp(-4.5):.1e}", "4.50", 7, "ab"),
        ("b", f"{exp(-2.25):.1e}", "2.25", 3, "c"),
    )
