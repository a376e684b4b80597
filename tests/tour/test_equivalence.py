"""One pass over whole sentences trains like all their padded pairs."""

from pellucid.tour.equivalence import equivalence
from tests.tour.scenes import found, table, words


def test_the_losses_and_all_slopes_are_the_same_but_for_rounding(any_lesson):
    pairs, sentences = table(equivalence(any_lesson), "trained on").rows
    assert pairs[2] == sentences[2] == len(any_lesson.corpus.pairs)
    loss = any_lesson.model.astype("float64").loss(
        any_lesson.corpus.pairs.contexts, any_lesson.corpus.pairs.targets
    )
    assert pairs[3] == sentences[3] == f"{loss:.12f}"
    differ = found(
        r"differ by (\S+), and none of the ([\d,]+) slopes by more than (\S+):",
        words(equivalence(any_lesson)),
    )
    assert float(differ[0]) < 1e-12
    assert int(differ[1].replace(",", "")) == any_lesson.model.n_parameters
    assert float(differ[2]) < 1e-12


def test_the_embedded_corpus_is_read_in_a_quarter_of_the_ids(lesson):
    pairs, sentences = table(equivalence(lesson), "trained on").rows
    assert (pairs[1], sentences[1]) == ("76 × 4", "19 × 4")
    assert "4.0 times less to read" in words(equivalence(lesson))


def test_without_a_corpus_there_is_nothing_to_compare(given):
    assert equivalence(given) == ()
