"""What every block adds to a number: all components, each in its cell."""

import numpy as np
import pytest

from tests.small_models import OPTIONS, random_ids, small_model
from tests.views.catalogue.given import view


def paths_of(option, **options):
    model = small_model(option)
    trace = model.trace(ids=random_ids(model.config, batch=1)[0])
    # A cap is no sum: with one, the scores before it are.
    name = "logits" if model.config.logit_softcap is None else "uncapped_logits"
    return trace.paths(name, position=-1, vocab=3, **options)


@pytest.mark.parametrize("option", OPTIONS)
def test_together_they_are_all_components(option):
    paths = paths_of(option)
    matrix, bars = view("contributions", paths)
    outside = sum(value for _, value in bars.items)
    assert matrix.values.sum() + outside == pytest.approx(paths.total, rel=1e-9, abs=1e-9)
    config = small_model(option).config
    assert matrix.values.shape[0] == config.n_layer
    assert matrix.columns.labels[: config.n_head] == tuple(map(str, range(config.n_head)))


def test_each_stands_in_its_block_and_column():
    paths = paths_of("as it is", minus=5)
    matrix, bars = view("contributions", paths)
    columns = matrix.columns.labels
    assert columns == ("0", "1", "2", "3", "feed-forward", "biases, shifts")
    found = {(path.component): path.contribution for path in paths.components}
    assert matrix.values[1, columns.index("2")] == found["blocks.1 head 2"]
    assert matrix.values[0, columns.index("feed-forward")] == found["blocks.0 feed-forward"]
    rest = [p.contribution for p in paths.components if p.block == 0 and ".b" in p.name]
    assert np.isclose(matrix.values[0, columns.index("biases, shifts")], sum(rest))
    assert dict(bars.items)["token embedding"] == found["token embedding"]
    assert "−" in matrix.title


def test_how_many_are_listed_elsewhere_makes_no_difference():
    few, all_of_them = (view("contributions", paths_of("as it is", top=n))[0] for n in (1, None))
    assert np.array_equal(few.values, all_of_them.values)
