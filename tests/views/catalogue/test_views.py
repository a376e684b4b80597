"""Every view can be made of every kind of model, or says in words why not."""

import numpy as np
import pytest

from pellucid.errors import PellucidError
from pellucid.views.catalogue.views import VIEWS
from pellucid.views.scene import Flow, Matrix, Network, Panels, Row
from tests.small_models import OPTIONS, small_model
from tests.traces import MODELS
from tests.views.catalogue.given import OF_NETWORKS, built, given, trace_of, views_of_traces, worded


def flat(blocks):
    for block in blocks:
        if isinstance(block, Row):
            yield from flat(block.blocks)
        else:
            yield block


def stands_in(part, whole):
    """Whether each row and column of `part` is one of `whole`, and the numbers are its numbers."""
    whole = whole.reshape(-1, *whole.shape[-2:]) if whole.ndim > 2 else np.atleast_2d(whole)[None]
    candidates = (*whole, *(np.swapaxes(each, 0, 1) for each in whole))
    return any(set(part.ravel().tolist()) <= set(each.ravel().tolist()) for each in candidates)


@pytest.mark.parametrize("name", MODELS)
def test_every_number_in_a_matrix_is_one_of_the_tensor_it_names(name):
    trace = trace_of(name)
    for view in views_of_traces():
        for block in flat(built(view, trace) or ()):
            match block:
                case Matrix():
                    assert stands_in(block.values, trace[block.name].values)
                case Flow():
                    assert stands_in(block.weights, trace[block.name].values)
                case Network():
                    for layer in block.layers:
                        assert stands_in(layer.values[None], trace[layer.name].values)
                case Panels():
                    assert block.shape[:2] == (trace.config.n_layer, trace.config.n_head)


@pytest.mark.parametrize("option", OPTIONS)
def test_models_with_words_have_every_view_but_what_they_lack(option):
    trace = worded(option)
    missing = {view.name for view in views_of_traces() if built(view, trace) is None}
    config = trace.config
    assert missing == {
        *(["position_table"] if config.position not in ("learned", "sinusoidal") else []),
        *(["second_norm"] if config.shared_norm else []),
        *(OF_NETWORKS if not config.mlp else []),
        *(["final_norm"] if not config.final_norm else []),
    }


@pytest.mark.parametrize("option", ["as it is", "post norm", "no positions", "grouped heads"])
def test_a_single_token_has_every_view_too(option):
    trace = small_model(option).trace(ids=[3], target=5)
    for view in views_of_traces():
        assert built(view, trace) != ()


def test_a_view_that_needs_gradients_asks_for_a_target():
    (trace,) = given("trace")
    for view in VIEWS.values():
        if view.needs == "gradient":
            with pytest.raises(PellucidError, match="trace with a target"):
                view.build(trace)


def test_a_view_of_what_was_not_kept_says_how_to_keep_it():
    trace = small_model().trace(ids=[1, 2], names=["probs"])
    with pytest.raises(PellucidError, match="names="):
        VIEWS["pattern"].build(trace)


def test_views_are_known_by_their_own_names_and_say_what_they_show():
    for name, view in VIEWS.items():
        assert view.name == name == view.build.__name__
        assert view.says.endswith(".")
        assert view.title
