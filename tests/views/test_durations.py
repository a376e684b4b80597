"""Spans of time in words."""

from math import inf, nan

import pytest

from pellucid.views.durations import duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (125, "2 min 5 s"),
        (3_600, "1 h"),
        (3_659, "1 h"),
        (12_000, "3 h 20 min"),
        (86_400 * 5 + 3_600 * 7 + 100, "5 d 7 h"),
        (inf, "?"),
        (nan, "?"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds, said):
    assert duration(seconds) == said
