"""Part 3: the tables and the input matrix."""

import numpy as np

from pellucid.model.model import Model
from pellucid.tour.embeddings import embeddings, most_alike, unread
from pellucid.views.scene import Matrix
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, words


def names(blocks):
    return [matrix.name for matrix in of_kind(blocks, Matrix)]


def test_tables_and_sum_are_shown_in_order(any_lesson):
    assert names(embeddings(any_lesson)) == [
        "token_embedding",
        "position_embedding",
        "embed.tokens",
        "embed.positions",
        "embed.out",
    ]


def test_h0_is_the_sum_of_the_two_beside_it(any_lesson):
    tokens, positions, total = of_kind(embeddings(any_lesson), Matrix)[2:]
    assert np.array_equal(tokens.values + positions.values, total.values)


def test_the_two_words_most_alike_are_found(lesson):
    rows = lesson.model.parameters["token_embedding"][3:]
    directions = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = np.triu(directions @ directions.T, 1)
    one, other = np.unravel_index(likeness.argmax(), likeness.shape)
    labels = lesson.model.labels([3 + one, 3 + other])
    said = most_alike(lesson)
    assert all(f'"{label}"' in said for label in labels)
    assert f"{likeness.max():.3f}, where" in said


def test_of_a_large_vocabulary_the_prompts_words_are_compared(lesson, monkeypatch):
    monkeypatch.setattr("pellucid.tour.embeddings.MOST_COMPARED", 5)
    said = most_alike(lesson)
    assert any(f'"{word}"' in said for word in ("i", "am", "groot"))


def test_rows_that_are_never_read_never_moved(lesson):
    before, after = (
        model.parameters["token_embedding"] for model in (lesson.trials.untrained, lesson.model)
    )
    moved = np.linalg.norm(after - before, axis=1)
    assert moved[0] == moved[2] == 0
    assert moved[[1, *range(3, 24)]].min() > 0
    said = words(unread(lesson.trials))
    assert f'"{lesson.tokenizer.label(int(moved.argmax()))}" farthest, by {moved.max():.3f}' in said
    assert '"<PAD>" moved by 0 and "<END>" moved by 0' in said


def test_a_single_word_is_compared_with_none():
    assert "no two words" in most_alike(lesson_of(corpus=("hello",)))


def test_positions_of_other_kinds():
    def shown(position):
        model = Model.from_config(SMALL.replace(position=position), WORDS)
        return embeddings(lesson_of("oak elm", model=model))

    assert "sines and cosines" in words(shown("sinusoidal"))
    assert "embed.positions" in names(shown("sinusoidal"))
    assert names(shown("none")) == ["token_embedding", "embed.tokens"]
