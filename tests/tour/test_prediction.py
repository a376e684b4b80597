"""Part 6: logits and probabilities."""

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.tour.prediction import every_position, logits, prediction, probabilities
from pellucid.views.scene import Bars, Heading, Matrix
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import found, of_kind, table, words


def test_residual_and_norm_come_first(any_lesson):
    names = [matrix.name for matrix in of_kind(prediction(any_lesson), Matrix)]
    assert [name.removeprefix("blocks.0.") for name in names] == [
        "norm1",
        "mlp.out",
        "resid_post",
        "norm2.normalized",
        "norm2",
    ]


def test_the_five_highest_logits_are_the_models(any_lesson):
    row = any_lesson.trace["logits"].values[-1]
    best = np.argsort(-row, kind="stable")[:5]
    rows = table(logits(any_lesson), "token", "id").rows
    assert [id for _, id, _ in rows] == best.tolist()
    assert [logit for _, _, logit in rows] == [float(row[id]) for id in best]
    assert f"leads by {row[best[0]] - row[best[1]]:.3f}" in words(logits(any_lesson))


def test_the_probabilities_are_the_models_and_add_up(any_lesson):
    shares = any_lesson.trace["probs"].values[-1]
    (bars,) = of_kind(probabilities(any_lesson), Bars)
    named = [item for item in bars.items if not item[0].startswith("the other")]
    ids = [any_lesson.tokenizer.tokens.index(token) for token, _ in named]
    assert [share for _, share in named] == [float(shares[id]) for id in ids]
    assert sum(share for _, share in bars.items) == pytest.approx(1, abs=1e-6)
    rows = table(probabilities(any_lesson), "token", "logit").rows
    *parts, together = [(float(power), float(share)) for _, _, power, share in rows]
    total = any_lesson.trace["probs.sum"].values[-1]
    assert together[0] == pytest.approx(total, abs=1e-5)
    assert together[1] == 1
    assert np.sum(parts, axis=0) == pytest.approx(together, abs=1e-4)
    assert parts[0][0] / together[0] == pytest.approx(shares.max(), abs=1e-5)


def test_the_division_can_be_done_again_by_eye(any_lesson):
    one, total, share = map(
        float,
        found(r"probability is (1) / ([\d.]+) = ([\d.]+)\.$", words(probabilities(any_lesson))),
    )
    assert one / total == pytest.approx(share, abs=1e-5)


def test_every_position_names_its_likeliest_next_token(any_lesson):
    rows = table(every_position(any_lesson), "after").rows
    best = any_lesson.trace["probs"].values.argmax(axis=-1)
    assert [row[0] for row in rows] == list(any_lesson.trace.tokens)
    assert [row[1] for row in rows] == list(any_lesson.model.labels(best.tolist()))
    assert [row[3] for row in rows] == [*any_lesson.model.labels(any_lesson.followers), None][
        : len(rows)
    ]


def test_the_end_really_follows_a_whole_sentence_alone(lesson):
    assert table(every_position(lesson), "after").rows[-1][3] == "<END>"
    beginning = lesson_of("groot likes", model=lesson.model)
    assert table(every_position(beginning), "after").rows[-1][3] is None


def test_right_guesses_are_counted(lesson):
    best = lesson.trace["probs"].values.argmax(axis=-1)
    right = int((best == lesson.followers).sum())
    assert f"In {right} of 4 places" in words(every_position(lesson))


def test_several_blocks_and_a_final_norm_are_told():
    lesson = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS))
    blocks = prediction(lesson)
    assert "has 2 blocks" in words(blocks)
    assert Heading("The final norm", 2) in blocks
    assert Heading("The second norm", 2) not in blocks
