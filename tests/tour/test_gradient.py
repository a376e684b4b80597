"""One weight's gradient, and the step down it."""

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.tour.gradient import gradient, steepest
from pellucid.tour.training import training
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import found, table, words


def numbers(lesson):
    """The table's numbers from top to bottom, and what its cell is called."""
    shown = table(gradient(lesson), "")
    return [float(text) for _, text in shown.rows], shown.columns[1]


def test_the_weight_is_the_one_with_the_largest_gradient_of_its_trace(lesson):
    beginning = lesson_of("groot likes", model=lesson.model)
    slopes = lesson.model.trace("groot likes", target="next").grad
    step = steepest(beginning)
    largest = max(float(np.abs(slopes[name].values).max()) for name in lesson.model.parameters)
    assert abs(step.gradient) == pytest.approx(largest, rel=1e-5)
    assert step.gradient == pytest.approx(float(slopes[step.name].values[step.index]), rel=1e-5)
    assert step.before == pytest.approx(
        lesson.model.trace("groot likes", target="next").loss, rel=1e-5
    )


def test_a_whole_sentence_counts_its_end_among_its_targets(lesson):
    step = steepest(lesson)
    most = lesson.model.trace("i am groot", target="next").grad[step.name].values[step.index]
    end = lesson.model.trace("i am groot", target="<END>").grad[step.name].values[step.index]
    assert step.gradient == pytest.approx((3 * most + end) / 4, rel=1e-5)


def test_the_loss_after_the_step_is_that_of_the_moved_model(lesson):
    (value, slope, move, moved, before, after), cell = numbers(lesson)
    step = steepest(lesson)
    assert cell.startswith(f"{step.name}[")
    assert move == pytest.approx(-0.1 * slope, abs=1e-4)
    assert moved == pytest.approx(value + move, abs=2e-4)
    weights = lesson.model.parameters[step.name].copy()
    weights[step.index] -= np.float32(0.1 * step.gradient)
    other = Model(lesson.model.config, {**lesson.model.parameters, step.name: weights})
    targets = [[*lesson.followers]]
    assert before == pytest.approx(lesson.model.loss([lesson.prompt_ids], targets), abs=1e-4)
    assert after == pytest.approx(other.loss([lesson.prompt_ids], targets), abs=1e-4)
    assert after < before


def test_what_is_seen_is_what_the_table_shows(lesson):
    (_, slope, _, _, before, after), _ = numbers(lesson)
    fell, foretold = map(
        float, found(r"fell by ([\d.]+)\. .* gradient² = ([\d.]+),", words(gradient(lesson)))
    )
    assert fell == pytest.approx(before - after, abs=2e-4)
    assert foretold == pytest.approx(0.1 * slope**2, abs=1e-4)


def test_over_the_whole_corpus_the_pulls_are_nearly_in_balance(lesson):
    step, pairs = steepest(lesson), lesson.corpus.pairs
    slope = lesson.model.gradients(pairs.contexts, pairs.targets)[step.name][step.index]
    (said,) = found(r"Over all 76 pairs its gradient is (\S+): what", words(gradient(lesson)))
    assert float(said) == pytest.approx(float(slope), abs=1e-4)
    assert abs(slope) < abs(step.gradient) / 10


def test_so_many_decimals_that_the_step_shows(any_lesson):
    if not any_lesson.followers:
        assert "What to see" not in words(gradient(any_lesson))
        return
    (_, slope, *_), _ = numbers(any_lesson)
    step = steepest(any_lesson)
    (foretold,) = found(r"gradient² = ([\d.]+),", words(gradient(any_lesson)))
    assert slope == pytest.approx(step.gradient, rel=0.05)
    assert float(foretold) == pytest.approx(0.1 * step.gradient**2, rel=0.05)
    assert step.after <= step.before


def test_a_fresh_model_goes_by_no_corpus_and_is_stepped_too():
    lesson = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS))
    said = words(training(lesson))
    assert "the loss fell by" in said
    assert "pairs its gradient" not in said
