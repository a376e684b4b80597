"""Traces and tensors draw themselves."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import pellucid
from pellucid.errors import PellucidError
from pellucid.views.figures.things import to_figure
from tests.small_models import small_model
from tests.views.figures.looks import numbers_of

TRACE = pellucid.load("baby-groot").trace("i am groot", target="groot")
PATTERN = "blocks.0.attn.pattern"


def test_a_tensor_of_one_head_is_one_matrix():
    figure = TRACE.figure(PATTERN)
    (axes,) = figure.axes
    shown = numbers_of(axes)
    np.testing.assert_array_equal(shown.filled(0.0), TRACE[PATTERN].values[0])


def test_each_head_is_a_matrix_and_one_can_be_chosen():
    tensor = small_model().trace(ids=[1, 4, 2])["blocks.1.attn.scores"]
    heads = [numbers_of(axes) for axes in tensor.figure().axes if axes.get_xlabel() == "key"]
    np.testing.assert_array_equal(np.stack(heads), tensor.values)
    (axes,) = tensor.figure(head=-1).axes
    np.testing.assert_array_equal(numbers_of(axes), tensor.values[-1])


def test_a_place_may_be_a_label():
    (axes,) = TRACE.figure("embed.out", position="am").axes
    np.testing.assert_array_equal(numbers_of(axes)[0], TRACE["embed.out"].values[2])


def test_parameters_gradients_and_explanations_have_figures():
    assert numbers_of(TRACE.figure("token_embedding").axes[0]).shape == (24, 8)
    assert isinstance(TRACE.grad["token_embedding"].figure(), Figure)
    explanation = TRACE.explain("blocks.0.attn.scores", query="am", key="i")
    assert len(to_figure(explanation).axes) > 3


def test_it_is_drawn_as_asked_for_or_into_axes_of_ones_own():
    assert TRACE.figure(PATTERN, size="slide").get_size_inches()[0] == pytest.approx(40 / 3)
    own = Figure()
    axes = own.subplots()
    assert TRACE.figure(PATTERN, head=0, ax=axes, theme="dark") is own
    np.testing.assert_array_equal(numbers_of(axes).filled(0.0), TRACE[PATTERN].values[0])


def test_what_is_not_there_is_said():
    with pytest.raises(PellucidError, match='no "ent" along query'):
        TRACE.figure(PATTERN, query="ent")
    with pytest.raises(PellucidError, match=r"no dim 'querry'.* Did you mean query"):
        TRACE.figure(PATTERN, querry=0)
    with pytest.raises(PellucidError, match="head=3 is out of range"):
        TRACE.figure(PATTERN, head=3)
    with pytest.raises(PellucidError, match="A Trace has no dims: leave out head=0"):
        to_figure(TRACE, head=0)
