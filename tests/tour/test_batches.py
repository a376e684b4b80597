"""Many texts in one pass."""

from pellucid.tour.batches import batches, some_contexts
from tests.tour.scenes import found, table, words


def test_a_batch_gives_the_logits_that_its_texts_give_alone(any_lesson):
    (differ,) = found(r"differ by (\S+) at most", words(batches(any_lesson)))
    assert float(differ) < 1e-4


def test_the_shapes_are_those_of_the_run(lesson):
    rows = table(batches(lesson), "array").rows
    assert rows == (("ids", "4", "16 × 4"), ("logits", "4 × 24", "16 × 4 × 24"))


def test_without_a_corpus_the_beginnings_of_the_prompt_are_the_batch(given):
    assert some_contexts(given).tolist() == [[1, 0, 0], [1, 8, 0], [1, 8, 14]]
    assert "differ by" in words(batches(given))
