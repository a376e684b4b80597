"""The whole way in a few sentences."""

from pellucid.tour.recap import recap
from pellucid.tour.summary import summary
from tests.tour.scenes import words


def test_the_sizes_and_the_answer_are_this_tours(lesson):
    said = words(recap(lesson))
    assert '"i am groot" became 4 ids, the ids became rows of 8 numbers' in said
    assert "24 logits" in said
    assert '"<END>" got' in said
    assert "968 numbers" in said


def test_the_last_part_ends_with_it(lesson):
    assert summary(lesson)[-len(recap(lesson)) :] == recap(lesson)
