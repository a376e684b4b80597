"""A norm as it is shown."""

import numpy as np
import pytest

from pellucid.model.model import Model
from pellucid.tour.norms import normalised
from pellucid.views.scene import Matrix
from tests.small_models import SMALL, WORDS
from tests.tour.conftest import lesson_of
from tests.tour.scenes import of_kind, table, words


@pytest.mark.parametrize("name", ["norm1", "norm2"])
def test_the_measured_means_and_deviations_are_those_of_the_stream(any_lesson, name):
    read = any_lesson.trace.graph.node(f"blocks.0.{name}").inputs[0]
    stream = any_lesson.trace[read].values.astype(np.float64)
    rows = table(normalised(any_lesson, name), "token", "mean").rows
    for row, vector in zip(rows, stream, strict=True):
        _, mean, deviation, mean_after, deviation_after = row
        assert mean == pytest.approx(vector.mean(), abs=1e-6)
        assert deviation == pytest.approx(np.sqrt(vector.var() + 1e-5), rel=1e-5)
        assert mean_after == 0
        assert deviation_after == pytest.approx(1, abs=1e-3)


def test_the_unequal_tokens_are_named(lesson):
    deviations = 1 / lesson.trace["blocks.0.norm1.rstd"].values
    said = words(normalised(lesson, "norm1"))
    assert f"{lesson.token(int(deviations.argmax()))} was {deviations.max():.3f}" in said
    assert f"{lesson.token(int(deviations.argmin()))} {deviations.min():.3f}" in said


def test_the_gains_are_the_models(lesson):
    gamma = lesson.model.parameters["blocks.0.norm2.gamma"]
    said = words(normalised(lesson, "norm2"))
    assert f"from {gamma.min():.3f} for column {gamma.argmin()}" in said
    assert f"to {gamma.max():.3f} for column {gamma.argmax()}" in said


def test_fresh_gains_are_all_the_same():
    fresh = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS))
    assert "Every gain in blocks.0.norm1.gamma is 1.000" in words(normalised(fresh, "norm1"))


def test_the_final_norm_stands_outside_the_blocks():
    fresh = lesson_of("oak elm", model=Model.from_config(SMALL, WORDS))
    shown = [matrix.name for matrix in of_kind(normalised(fresh, "final_norm"), Matrix)]
    assert shown == ["final_norm.normalized", "final_norm"]
