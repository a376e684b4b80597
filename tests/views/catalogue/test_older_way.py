"""A decoder beside an RNN and an LSTM, as curves and a table."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.views.catalogue.older_way import gradient_at_first, learned, time_per_token
from pellucid.views.scene import Curve, Row
from pellucid.views.terminal import to_text
from tests.views.catalogue.given import view, ways


def test_the_view_has_both_curves_and_the_table():
    row, table = view("older_way", ways())
    assert isinstance(row, Row)
    titles = [block.title for block in row.blocks if isinstance(block, Curve)]
    assert titles == [time_per_token(ways()).title, gradient_at_first(ways()).title]
    assert table == learned(ways())


def test_the_time_of_a_text_is_shared_out_among_its_tokens():
    found = ways()
    for series in time_per_token(found).series:
        assert np.asarray(series.x).tolist() == list(found.lengths)
        whole = np.asarray(series.y) * np.array(found.lengths) / 1e6
        assert whole == pytest.approx(found.seconds[series.name])


def test_a_line_of_gradients_ends_where_nothing_is_left():
    found = replace(ways(), slopes={"gone": (0.0,) * 5, "fading": (1.0, 0.1, 1e-9, 0.0, 0.0)})
    (series,) = gradient_at_first(found).series
    assert (series.name, np.asarray(series.x).tolist()) == ("fading", [4, 16, 64])


def test_each_way_has_a_row_and_what_it_stays_above_the_floor():
    rows = learned(ways()).rows
    assert [(row[0], row[1]) for row in rows] == [("decoder", 968), ("RNN", 951), ("LSTM", 984)]
    for row, way in zip(rows, ways().ways, strict=True):
        assert float(str(row[3])) == round(way.loss, 4)
        assert float(str(row[4])) == pytest.approx(way.loss - ways().floor, abs=1e-4)


@pytest.mark.parametrize("width", [60, 80, 160])
def test_it_fits_every_page(width):
    text = to_text(view("older_way", ways()), width=width)
    assert max(map(len, text.splitlines())) <= width
