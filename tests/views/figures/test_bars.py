"""Bars as a picture: each as long as its number, which stands beside it."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from pellucid.views.figures.theme import LIGHT
from pellucid.views.scene import Bars
from tests.views.figures.sheets import HOSTILE, drawn, texts

BARS = Bars("Likeliest", (("groot", 2.5), ("tree", 0.5), ("i", -1.25)), note="Of 12 tokens.")


def lengths(axes):
    return [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)]


def names(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_bars_are_as_long_as_their_numbers_from_the_top_down():
    axes = drawn(BARS)
    assert lengths(axes) == [2.5, 0.5, -1.25]
    assert names(axes) == ["groot", "tree", "i"]
    low, high = axes.get_ylim()
    assert low > high
    assert texts(axes) == ["2.50", "0.50", "-1.25", "Of 12 tokens."]


def test_colour_is_the_sign():
    colours = [to_hex(bar.get_facecolor()) for bar in drawn(BARS).patches]
    assert colours == [LIGHT.positive, LIGHT.positive, LIGHT.negative]


@pytest.mark.parametrize(
    ("limit", "numbers", "ends"),
    [
        (None, (2.5, -1.25), (-1.25, 2.5)),
        (1.0, (0.25, 0.5), (0.0, 1.0)),
        (4.0, (1.0, -1.0), (-4.0, 4.0)),
        (None, (0.0, 0.0), (0.0, 1.0)),
        (None, (-2.0, -1.0), (-2.0, 0.0)),
    ],
)
def test_the_limit_is_a_full_bar(limit, numbers, ends):
    bars = Bars(None, tuple((str(place), number) for place, number in enumerate(numbers)), limit)
    assert drawn(bars).get_xlim() == ends


def test_units_and_shares_stand_with_the_numbers():
    bars = Bars("T", (("a", 3.0), ("b", 1.0)), unit="nats", shares=(0.75, 0.25))
    assert texts(drawn(bars)) == ["3 nats", "75.0%", "1 nats", "25.0%"]


def test_what_is_no_number_has_no_bar_and_says_so():
    axes = drawn(Bars("T", (("a", 1.0), ("b", np.nan), ("c", np.inf))))
    assert lengths(axes) == [1.0, 0.0, 0.0]
    assert texts(axes) == ["1", "NaN", "∞"]


def test_of_many_bars_the_edges_are_drawn_unless_all_are_asked_for():
    items = tuple((f"t{place}", float(place + 1)) for place in range(60))
    axes = drawn(Bars("T", items), 200.0, 600.0)
    assert len(lengths(axes)) == 40
    assert names(axes).index("⋮") == 29
    for name, length in zip(names(axes), lengths(axes), strict=True):
        assert length == dict(items).get(name, 0.0)
    assert texts(axes)[-1] == "Shown: 39 of 60 bars (0–28, 50–59)."
    assert len(lengths(drawn(Bars("T", items, whole=True), 200.0, 800.0))) == 60


def test_strange_labels_are_shown():
    shown = names(drawn(Bars("T", tuple((name, 1.0) for name in HOSTILE)), 200.0, 400.0))
    assert shown[0] == "$x$ $"
    assert shown[2] == "a↵b⇥c"
