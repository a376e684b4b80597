"""A matrix too large to be fetched whole shows the numbers of Python wherever one looks."""

import numpy as np
import pytest

from pellucid.model.model import Model
from tests.browser.conftest import Explored, explored, serving
from tests.browser.shown import Shown
from tests.small_models import WORDS, small_config

TEXT = "oak elm"
WEIGHT = "blocks.0.mlp.w_in"


@pytest.fixture(scope="module", params=["in the file", "served"])
def large(request, tmp_path_factory):
    """A model with one weight of so many numbers."""
    folder = tmp_path_factory.mktemp("large")
    model = Model.from_config(small_config().replace(d_mlp=9000), WORDS, dtype="float32")
    if request.param == "in the file":
        yield explored(model, TEXT, folder / "large.html", title="large")
        return
    with serving(model.save(folder / "model"), TEXT) as address:
        yield Explored(model, model.trace(TEXT), TEXT, address)


def test_what_is_in_sight_of_a_large_matrix_is_there_and_its_legend_is_of_all(online_tab, large):
    shown = Shown(online_tab, large.address)
    values = large.model.parameters[WEIGHT]
    assert values.size > 2**16
    shown.open(show="blocks.0.mlp.pre")
    seen = shown.grids(WEIGHT)[WEIGHT]
    assert (0, 0) in seen
    agrees(seen, values)
    assert (
        f"{np.abs(values).max():.3g}"
        in online_tab.locator(f'[data-tensor="{WEIGHT}"] .legend').inner_text()
    )
    shown.cell(WEIGHT, (0, 0)).focus()
    online_tab.keyboard.press("Control+End")
    last = (len(values) - 1, values.shape[1] - 1)
    place = ",".join(map(str, last))
    online_tab.wait_for_selector(f'[aria-label="{WEIGHT}"] [data-index="{place}"][data-value]')
    assert online_tab.evaluate("document.activeElement.dataset.index") == place
    seen = shown.grids(WEIGHT)[WEIGHT]
    assert last in seen
    agrees(seen, values)


def agrees(seen, values):
    """Every number that is shown is Python's."""
    for index, value in seen.items():
        assert np.float32(value) == values[index]
